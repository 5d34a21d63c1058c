

if __name__ == "__main__":
    sys.exit(main())
