#!/usr/bin/env node
// The command `ponte`: refuses a Node that is too old, then runs the built CLI. Written in old
// JavaScript, because an old Node must parse it. In a clone it warns when the sources are newer
// than dist/. It never rebuilds, because a server may be running from dist/. Compiled code is kept
// beside the package, where that is writable: the next start takes three quarters of the time.

// Without a listener, this signal opens Node's inspector, which reads the memory of the process.
process.on('SIGUSR1', function () {
  // Ignored.
});

var fs = require('fs');
var path = require('path');
var pathToFileURL = require('url').pathToFileURL;

var root = path.join(__dirname, '..');
var built = path.join(root, 'dist', 'cli.js');
var problem = problemOfNode();

if (problem !== null) {
  fail(problem);
} else if (!fs.existsSync(built)) {
  fail('dist/ is missing; run `npm run build` in ' + root);
} else {
  warnAboutStaleBuild();
  require('module').enableCompileCache(path.join(root, 'node_modules', '.cache', 'ponte'));
  import(pathToFileURL(built).href);
}

function problemOfNode() {
  try {
    require('./node-version.cjs');
    return null;
  } catch (error) {
    return error.message.replace('ponte-payments ', '');
  }
}

// Only a clone has the configuration of the build.
function warnAboutStaleBuild() {
  if (!fs.existsSync(path.join(root, 'tsup.config.ts'))) return;
  var builtAtMs = fs.statSync(built).mtimeMs;
  var newer = ['core', 'adapters', 'host', 'cli'].some(function (folder) {
    return isNewer(path.join(root, folder), builtAtMs);
  });
  if (newer) {
    process.stderr.write('ponte: dist/ is older than the sources; run `npm run build`\n');
  }
}

function isNewer(file, thanMs) {
  var stat = fs.statSync(file);
  if (!stat.isDirectory()) return stat.mtimeMs > thanMs;
  return fs.readdirSync(file).some(function (name) {
    return isNewer(path.join(file, name), thanMs);
  });
}

function fail(reason) {
  process.stderr.write('ponte: ' + reason + '\n');
  process.exitCode = 1;
}
