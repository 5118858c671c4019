// Loaded before a host: on SIGUSR2, a callback of a timer throws; with TEST_CALLBACK_REJECTS, a
// promise that nothing handles rejects instead.
process.on('SIGUSR2', () => {
  const fail = () => {
    throw new Error('a callback failed for pk_test_abc.secret');
  };
  if (process.env['TEST_CALLBACK_REJECTS'] === undefined) setTimeout(fail);
  else void Promise.resolve().then(fail);
});
