"""What an owner does with a memory: forget parts of it, carry it elsewhere, see that it is sound."""
