// What the tests of requirements share: the usual request and its answer, what is due, and alerts.
import assert from 'node:assert/strict';
import type { Json } from '../servers/json-call.js';
import type { PonteScene } from './blindpay-ponte.js';

export const file = 'https://files.example/bill.pdf';
export const addressAnswer = { proofOfAddressDocType: 'UTILITY_BILL', proofOfAddressDocFile: file };
export const dueAddress = ['proofOfAddressDocType', 'proofOfAddressDocFile'];

export function customerOf({ server }: PonteScene, name: string): string {
  const named = server.state.customers.findLast((customer) =>
    [customer['legal_name'], customer['first_name']].includes(name),
  );
  return named?.id ?? assert.fail(`a customer ${name}`);
}

export function dueIn(json: Json): readonly unknown[] {
  const { due } = (json['requirements'] ?? json) as { readonly due: readonly Json[] };
  return due.map(({ field }) => field);
}

/** The alerts from now on. */
export function noted({ ponte }: PonteScene): readonly string[] {
  const alerts: string[] = [];
  const { log } = ponte.deps;
  const error = log.error.bind(log);
  Object.assign(log, {
    error(message: string, fields: Json = {}) {
      if (message === 'alert') alerts.push(String(fields['alert']));
      error(message, fields);
    },
  });
  return alerts;
}
