// The last position wins: at most one request is under way. Those that wait are one request, in which
// what is newer takes the place of what is older. Fast dragging can then never queue old states,
// however slow the kernel is.

function latest(send, { slow = () => {}, patience = 3000 } = {}) {
  const me = Math.random().toString(36).slice(2); // two views of one lab must not mix their answers
  let number = 0;
  let underWay = null;
  let waiting = null;
  let timer = null;

  function go(state) {
    number += 1;
    underWay = `${me}:${number}`;
    timer = setTimeout(slow, patience);
    try {
      send({ ...state, seq: underWay });
    } catch {
      slow(); // the kernel that this page knew is gone
    }
  }

  return {
    push(state) {
      if (underWay === null) go(state);
      else waiting = { ...waiting, ...state };
    },
    /** Whether the answer was mine; the newest state that waits is sent now. */
    answered(seq) {
      if (seq !== underWay) return false;
      clearTimeout(timer);
      underWay = null;
      if (waiting !== null) {
        const state = waiting;
        waiting = null;
        go(state);
      }
      return true;
    },
    idle: () => underWay === null,
    stop: () => clearTimeout(timer),
  };
}
