"""The rules of the Acme team: data only, in the folder `knowledge`."""
