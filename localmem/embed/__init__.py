"""Text to vectors: the only package that imports onnxruntime or sentence-transformers."""
