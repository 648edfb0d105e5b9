"""Model files: catalogue, download, verification. The only package that opens a connection."""
