"""The parts that generated legacy estates share: chance, clock, columns of text, file formats."""
