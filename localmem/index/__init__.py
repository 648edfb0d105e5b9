"""Vectors to ids: the only package that imports FAISS."""
