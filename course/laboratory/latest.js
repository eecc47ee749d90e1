// The last position wins: at most one request is under way, and of those that wait only the newest
// is kept. Fast dragging can then never queue old states, however slow the kernel is.

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
    send({ ...state, seq: underWay });
  }

  return {
    push(state) {
      if (underWay === null) go(state);
      else waiting = state;
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
