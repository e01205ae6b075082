package storetest

import "testing"

// Model is the random comparison; see Run.
func Model(t *testing.T, open Open) {}
