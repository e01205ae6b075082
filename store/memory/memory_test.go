package memory_test

import (
	"testing"

	"signalbox/store"
	"signalbox/store/memory"
	"signalbox/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
}
