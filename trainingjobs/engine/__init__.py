"""What the library needs of Pulumi's engine and SDK beside resources."""
