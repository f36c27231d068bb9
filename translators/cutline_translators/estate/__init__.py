"""What generated legacy estates share: chance, a clock, columns of text, and formats of files."""
