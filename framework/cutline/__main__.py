"""`python -m cutline` is `cutline`."""

from cutline.cli import main

if __name__ == "__main__":
    main()
