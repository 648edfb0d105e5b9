"""Prompt and grammar to text: the only package that imports llama.cpp."""
