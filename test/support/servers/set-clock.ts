// Loaded before a host: its machine's clock is ahead by TEST_CLOCK_AHEAD_MS. What never goes back,
// `performance.now`, is left alone, as it is where somebody sets a clock.
const aheadMs = Number(process.env['TEST_CLOCK_AHEAD_MS'] ?? 0);
const { now } = Date;
Date.now = () => now() + aheadMs;
