// Throws if Node is too old. It runs before what an old Node cannot load: the command requires it,
// and `ponte-payments` imports it first (tsup.config.ts). Written in old JavaScript, because an old
// Node must parse it.
var oldest = require('../package.json').engines.node.replace('>=', '');

if (isOlder(process.versions.node, oldest)) {
  throw new Error(
    'ponte-payments needs Node ' +
      oldest +
      ' or newer, but ' +
      process.execPath +
      ' is ' +
      process.version +
      '. Install a newer Node, or in a clone use npm run -s ponte --, which has one',
  );
}

function isOlder(version, than) {
  var have = version.split('.').map(Number);
  var want = than.split('.').map(Number);
  return have[0] < want[0] || (have[0] === want[0] && have[1] < want[1]);
}
