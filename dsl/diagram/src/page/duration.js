// Durations, in the format of the command line: 7s, 4m 51s, 1h 10m, 3d 04h.

const duration = (() => {
  const two = (number) => String(Math.floor(number)).padStart(2, '0');

  /** Formats seconds, rounded down. */
  function short(seconds) {
    const whole = Math.floor(Math.max(0, seconds));
    if (whole < 60) return `${whole}s`;
    if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
    if (whole < 86400) return `${Math.floor(whole / 3600)}h ${two((whole % 3600) / 60)}m`;
    return `${Math.floor(whole / 86400)}d ${two((whole % 86400) / 3600)}h`;
  }

  /** Formats the time between two moments as the command line does: the difference of their whole seconds. */
  const between = (begin, end) => short(Math.floor(end / 1000) - Math.floor(begin / 1000));

  /** Formats milliseconds; below ten seconds, with fractions of a second. */
  function exact(milliseconds) {
    const time = Math.max(0, milliseconds);
    if (time < 1000) return `${Math.floor(time)}ms`;
    return time < 9950 ? `${(time / 1000).toFixed(1)}s` : short(time / 1000);
  }

  return { short, between, exact };
})();
