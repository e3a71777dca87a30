"""Stand-ins for what a test cannot have: shipped, so that users' tests can use them too."""
