// The secret key of the databases whose dumps are here: record-release.ts makes them with it, and
// the test opens them.
export const releaseSecretKeys = `release:${Buffer.alloc(32, 'release').toString('base64')}`;
