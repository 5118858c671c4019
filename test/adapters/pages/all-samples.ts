// The samples of all pages, and the few that together have every kind of element.
import { kycSamples } from './buyer/kyc/kyc-samples.js';
import { htmlOf, samples as others, type Sample } from './buyer/page-samples.js';
import { onboardingSamples } from './seller/onboarding-samples.js';

export const samples: readonly Sample[] = [...others, ...kycSamples, ...onboardingSamples];

/** Few pages with every kind of element: each one adds the most kinds to those before it. */
export function coveringSamples(): readonly Sample[] {
  const left = samples.map((sample) => ({ sample, kinds: kindsOf(sample) }));
  const chosen: Sample[] = [];
  for (;;) {
    const [first, ...others] = left.toSorted((a, b) => b.kinds.size - a.kinds.size);
    if (first === undefined || first.kinds.size === 0) return chosen;
    chosen.push(first.sample);
    const seen = new Set(first.kinds);
    for (const { kinds } of [first, ...others]) for (const kind of seen) kinds.delete(kind);
  }
}

function kindsOf(sample: Sample): Set<string> {
  const elements = [...htmlOf(sample, 'en').matchAll(/<\w+(?: [^>]*)?>/g)];
  return new Set(elements.map(([element]) => element.replace(/ ([\w-]+)(?:="[^"]*")?/g, kindOf)));
}

/** What distinguishes kinds of elements: the value of an attribute, its presence, or nothing. */
function kindOf(attribute: string, name: string): string {
  if (['class', 'type', 'role'].includes(name)) return attribute;
  return /^(aria-.*|alt|for|lang|tabindex)$/.test(name) ? ` ${name}` : '';
}
