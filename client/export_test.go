package client

import (
	"testing"
	"time"
)

// Impatient has parked questions held back and waited for that long.
func Impatient(t *testing.T, park, wait time.Duration) {
	wasPark, wasGrace := parkFor, grace
	parkFor, grace = park, wait
	t.Cleanup(func() { parkFor, grace = wasPark, wasGrace })
}
