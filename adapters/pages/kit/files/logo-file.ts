// The logo of an organization under an address with its hash, so that browsers may keep it.
import type { Organization } from '../../../../core/domain/parties/organization.js';
import { readLogoFile } from '../../../../core/usecases/parties/organization-settings.js';
import { type PageCall, type PageContext, pageRow } from '../page-route.js';

const path = '/assets/logos/{orgId}/{hash}';
const KEEP = 'public, max-age=31536000, immutable';

export const logoPages = [
  pageRow({
    method: 'GET',
    path,
    subject: 'none',
    auth: 'none',
    csrf: 'none',
    limit: 'none',
    form: 'none',
    handler: sendLogo,
  }),
];

/** Below the root of the pages; null without a logo. */
export function logoPath({ id, logoHash }: Pick<Organization, 'id' | 'logoHash'>): string | null {
  return logoHash === null ? null : path.replace('{orgId}', id).replace('{hash}', logoHash);
}

async function sendLogo({ deps }: PageContext, { params }: PageCall<'none', unknown>) {
  const { orgId = '', hash = '' } = params;
  const { contentType, bytes } = await readLogoFile(deps, orgId, hash);
  const headers = { 'content-type': contentType, 'cache-control': KEEP };
  return { status: 200, headers, cookies: [], body: bytes };
}
