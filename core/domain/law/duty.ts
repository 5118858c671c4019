// What the law of Brazil asks around payments from abroad, as law firms and the press summarize it,
// read in November 2026: nobody's advice. Guides and pages show these rows, with words of their
// language.

export interface DutyRule {
  readonly rule: string;
  /** A month, YYYY-MM; null: no date is known, or it is older. */
  readonly since: string | null;
  /** By title. */
  readonly source: string;
  /** The sources leave open whether it concerns such payments, or whom. */
  readonly isOpen: boolean;
}

export const duties = {
  report: {
    rule: 'Res. BCB 521, IN BCB 693',
    since: '2026-05',
    source: 'Machado Meyer on IN BCB 693',
    isOpen: false,
  },
  transfer_limit: {
    rule: 'Res. BCB 521',
    since: '2026-02',
    source: 'Digital Policy Alert, "Res. 521 deferred provisions"',
    isOpen: false,
  },
  authorisation: {
    rule: 'Res. BCB 519, 520',
    since: '2026-02',
    source: 'tjsauditores (Valor, 9 Dec 2025) on Res. 520 art. 44',
    isOpen: false,
  },
  efx: {
    rule: 'Res. BCB 561',
    since: '2026-10',
    source: 'Cointelegraph, 1 May 2026',
    isOpen: false,
  },
  decripto: {
    rule: 'IN RFB 2.291',
    since: '2026-07',
    source: 'HCLB, APET and fiscalnews on IN RFB 2.291',
    isOpen: true,
  },
  exemption: {
    rule: 'Cosit 160/2024, 179/2025',
    since: null,
    source: 'Barros, Kincaid and others on Cosit 160/2024 and 179/2025',
    isOpen: true,
  },
  fiscal_document: {
    rule: 'IN RFB 2.229/2024, NT 2025.001',
    since: '2026-07',
    source: 'tributos.io and mjvinnovation on the CNPJ',
    isOpen: false,
  },
  effective_rate: {
    rule: 'CP BCB 124/2025',
    since: null,
    source: 'gov.br, CP 124/2025',
    isOpen: true,
  },
  iof: {
    rule: 'Decreto 8.731/2016',
    since: null,
    source: 'Exame, 12 Mar 2026',
    isOpen: true,
  },
  personal_data: {
    rule: 'LGPD art. 18; GDPR art. 15, 17',
    since: null,
    source: 'the texts of both laws',
    isOpen: false,
  },
} as const satisfies Readonly<Record<string, DutyRule>>;

export type Duty = keyof typeof duties;
export const dutyNames = Object.keys(duties) as readonly Duty[];
