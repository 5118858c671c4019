// The index in which SQLite finds each page of a long list, under every combination of filters.
// What PostgreSQL reads for them is in query-plans.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptySqlite, planOf } from '../../support/databases/sqlite-plan.js';
import { statementsOfTheStore } from '../../support/databases/store-statements.js';

test('pages of long lists are sought in an index that has their order', async () => {
  const database = emptySqlite();
  const texts = [...(await statementsOfTheStore())];
  const tenants = 'org_id=? AND mode=?';
  for (const [part, ...steps] of [
    [
      'from deliveries where subscription_id = $1 and id < $2 order',
      'SEARCH deliveries USING INDEX deliveries_of_subscription (subscription_id=? AND id<?)',
    ],
    [
      "from deliveries where subscription_id = $1 and id < $2 and status = 'dead_letter'",
      'SEARCH deliveries USING INDEX deliveries_dead_of_subscription (subscription_id=? AND id<?)',
    ],
    [
      "from deliveries where subscription_id = $1 and id < $2 and status = 'pending'",
      'SEARCH deliveries USING INDEX deliveries_pending_of_subscription ' +
        '(subscription_id=? AND id<?)',
    ],
    [
      "from deliveries where status = 'pending' and next_attempt_at is not null",
      'SEARCH deliveries USING INDEX deliveries_undelivered',
    ],
    [
      'sequence < $3 and sequence >= $5 and $6 in (type, alias) order',
      `SEARCH events USING INDEX events_sequence (${tenants} AND sequence>? AND sequence<?)`,
    ],
    [
      'from events where org_id = $1 and mode = $2 and sequence >= $3',
      `SEARCH events USING INDEX events_sequence (${tenants} AND sequence>? AND sequence<?)`,
      'SCALAR SUBQUERY 1',
      `SEARCH events USING COVERING INDEX events_sequence (${tenants} AND sequence>?)`,
    ],
    // However many payments of the tenant are well.
    [
      "from funds where org_id || ''",
      'SCAN funds USING INDEX funds_open',
      'USE TEMP B-TREE FOR ORDER BY',
    ],
    // Operators' lists, over all tenants and of one.
    [
      'from payments where id >= $1 and id < $2 order by id desc',
      'SEARCH payments USING INDEX payments_id (id>? AND id<?)',
    ],
    [
      'from payments where org_id = $1 and mode = $2 and id >= $3 and id < $4 and status = $5',
      `SEARCH payments USING INDEX sqlite_autoindex_payments_1 (${tenants} AND id>? AND id<?)`,
    ],
    [
      '(select * from payments where org_id = $1 and mode = $2 and id = $3 limit 1)',
      ...viewsOf(`sqlite_autoindex_payments_1 (${tenants} AND id=?)`),
    ],
    [
      'and status = $4 and created_at >= $5 and (created_at, id) < ($6, $7)',
      `SEARCH payments USING INDEX payments_of_buyer (${tenants} AND buyer_id=? AND status=? ` +
        'AND created_at>? AND (created_at,id)<(?,?))',
    ],
    ...paymentPages(),
    ...accountPages(),
    ['from mails order by id desc', 'SCAN mails USING INDEX mails_id'],
    ['from mails where id <', 'SEARCH mails USING INDEX mails_id (id<?)'],
    [
      'from mails where status = $1 and id <',
      'SEARCH mails USING INDEX mails_of_status (status=? AND id<?)',
    ],
    ['from documents order by id desc', 'SCAN documents USING INDEX documents_id'],
    ['from documents where id < $1 order', 'SEARCH documents USING INDEX documents_id (id<?)'],
    [
      "from documents where id < $1 and status <> 'purged'",
      'SEARCH documents USING INDEX documents_kept (id<?)',
    ],
  ] as const) {
    const sql = texts.find((text) => part.split(' … ').every((piece) => text.includes(piece)));
    assert.ok(sql !== undefined, part);
    assert.deepEqual(planOf(database, sql), steps);
  }
  await database.close();
});

/** However the payments are found, the rest of its view is sought for each of them. */
function viewsOf(index: string): readonly string[] {
  return [
    'CO-ROUTINE chosen',
    `SEARCH payments USING INDEX ${index}`,
    'SCAN chosen',
    'SEARCH funds USING PRIMARY KEY (org_id=? AND mode=? AND payment_id=?) LEFT-JOIN',
    'SEARCH buyers USING PRIMARY KEY (mode=? AND id=?) LEFT-JOIN',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH partner_commands USING INDEX partner_commands_of_payment ' +
      '(org_id=? AND mode=? AND payment_id=?)',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH kyc_submissions USING INDEX kyc_submissions_of_buyer ' +
      '(org_id=? AND mode=? AND buyer_id=?)',
    'USE TEMP B-TREE FOR ORDER BY',
    'CORRELATED SCALAR SUBQUERY 3',
    'SEARCH connected_accounts USING INDEX connected_accounts_of_buyer ' +
      '(org_id=? AND mode=? AND email_key=?)',
  ];
}

/** Under each combination of filters, per origin. */
function paymentPages(): readonly (readonly [string, ...string[]])[] {
  const tenants = 'org_id=? AND mode=?';
  const ends = 'id>? AND id<?';
  const sellers = 'payments_of_seller';
  const ofStatus = (origin: string) =>
    `payments_${origin}_of_status (${tenants} AND status=? AND ${ends})`;
  const pages = [
    ['id >= $4', `sqlite_autoindex_payments_1 (${tenants} AND ${ends})`],
    ['status = $4', ofStatus('intents')],
    [
      'seller_external_id = $4 and id',
      `${sellers} (${tenants} AND seller_external_id=? AND ${ends})`,
    ],
    [
      'seller_external_id = $4 and status',
      `${sellers}_and_status (${tenants} AND seller_external_id=? AND status=? AND ${ends})`,
    ],
    [
      'amount_minor = $4 and currency = $5 and id',
      `payments_of_amount (${tenants} AND origin=? AND amount_minor=? AND currency=? AND ${ends})`,
    ],
    [
      'external_id_key = $4 and external_id = $5 and seller_external_id',
      `payments_external_id (${tenants} AND origin=? AND external_id_key=? AND external_id=?)`,
    ],
    [
      '(updated_at, id) > ($3, $4) and updated_at <= $5',
      `payments_updated (${tenants} AND origin=? AND (updated_at,id)>(?,?) AND updated_at<?)`,
    ],
  ].map(([condition = '', index = '']) => ['payment_intent', condition, index] as const);
  const others = [['invoice', 'status = $4', ofStatus('invoices')]] as const;
  return [...pages, ...others].map(([origin, condition, index]) => [
    `origin = '${origin}' and ${condition}`,
    ...viewsOf(index),
  ]);
}

/** By role and status or not, the first page and one behind another: an index names the rows. */
function accountPages(): readonly (readonly [string, ...string[]])[] {
  const filters = [
    [[], 'PRIMARY KEY'],
    [['role'], 'INDEX connected_accounts_of_role'],
    [['status'], 'INDEX connected_accounts_of_status'],
    [['role', 'status'], 'INDEX connected_accounts_of_both'],
  ] as const;
  const pages = filters.flatMap(([filter, index]) =>
    [false, true].map((isBehind) => ({ filter, index, isBehind })),
  );
  return pages.map(({ filter, index, isBehind }) => {
    const columns = ['org_id', 'mode', ...filter];
    const compared = columns.map((column, place) => `${column} = $${place + 1}`);
    const sought = columns.map((column) => `${column}=?`);
    if (isBehind) compared.push(`id < $${columns.length + 1}`);
    if (isBehind) sought.push('id<?');
    const where = `where ${compared.join(' and ')} order by id desc limit $${compared.length + 1}`;
    return [
      // A hint may name the index between them.
      `from connected_accounts … ${where}`,
      `SEARCH connected_accounts USING ${index} (${sought.join(' AND ')})`,
    ];
  });
}
