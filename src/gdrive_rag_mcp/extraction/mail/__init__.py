"""Mail, with what is attached."""
