// What the settlement partner wants of a party, as answers show it.
import { z } from 'zod';
import { instantOrNull } from '../../../core/domain/base/instant.js';
import { shownDue } from '../../../core/domain/hosted/party-answer.js';
import type { PartyDue } from '../../../core/domain/parties/party-due.js';
import { instant, responseSchemas } from '../protocol/schemas.js';

export const requirements = z
  .strictObject({
    due: z.array(
      z.strictObject({
        field: z.string().meta({
          description:
            'A field of the dossier, such as `owners[0].taxId`; `tosId`: the party must accept ' +
            'the current terms. Any other name is a question: send its answer in `answers`.',
        }),
        reason: z.string().meta({ description: 'In the words of the partner; may be empty.' }),
      }),
    ),
    dueBy: instant.nullable().meta({
      description: 'After this the partner may reject the party; null without a time limit.',
    }),
  })
  .meta({ description: 'What the settlement partner wants before it goes on.' });

responseSchemas.add(requirements, { id: 'Requirements' });

export function requirementsOf(due: PartyDue) {
  return { due: shownDue(due), dueBy: instantOrNull(due.answerByMs) };
}
