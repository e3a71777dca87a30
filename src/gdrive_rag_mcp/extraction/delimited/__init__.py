"""Tables as text: CSV and TSV."""
