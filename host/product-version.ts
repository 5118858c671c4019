// Which program this is: the version of the package and the commit of its sources.
import manifest from '../package.json' with { type: 'json' };

/** Set by the build (tsup.config.ts); undefined where the sources run. */
declare const PONTE_COMMIT: string | undefined;

const commit = typeof PONTE_COMMIT === 'undefined' ? 'development' : PONTE_COMMIT;

/** Semantic version with the commit as build metadata: 1.0.0+2f3a4b5c6d7e. */
export const productVersion = `${manifest.version}+${commit}`;
