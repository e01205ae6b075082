package engine_test

import (
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/store"
)

// A claim on a queue that is not there is no robot's word on one that comes later.
func TestClaimsOfNoQueueAreNotRemembered(t *testing.T) {
	eachStore(t, func(r *rig) {
		_, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "later", Robot: "r"})
		r.wantCode(err, store.CodeNotFound)
		r.queue("later", store.Jobs, nil)
		ids := r.addN("later", 1)
		asked := func() bool {
			why, err := r.Explain(r.ctx, ids[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, reason := range why.Reasons {
				if strings.Contains(reason.Text, "no robot has asked") {
					return false
				}
			}
			return true
		}
		if asked() {
			t.Error("a robot is said to have asked for work")
		}
		if _, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "later", Robot: "r", Reference: "none"}); store.CodeOf(err) != store.CodeEmpty {
			t.Fatal(err)
		}
		if !asked() {
			t.Error("the robot that asked is not remembered")
		}
	})
}
