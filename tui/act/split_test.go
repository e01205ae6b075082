package act

import (
	"strings"
	"testing"

	"signalbox/engine/lane"
	"signalbox/tui/screen"
)

// A smaller pool tells of the slots that go only when their work ends.
func TestSplitTellsOfClosingSlots(t *testing.T) {
	state := lane.State{Pool: 3, Slots: []lane.SlotState{{Number: 1, State: lane.Busy}, {Number: 4, State: lane.Closing}}}
	for want, msg := range map[string]Split{
		"; 1 slot closes when its work ends": {State: state},
		"Split applied: 3 slots":             {State: lane.State{Pool: 3}},
	} {
		say, ok := msg.Tell().Intents[1].(screen.Say)
		if !ok || !strings.Contains(string(say.Toast.Text), want) {
			t.Errorf("%+v", msg.Tell())
		}
	}
}
