// What sellers hand to their accountants, in the languages of the dashboard: where the facts are,
// how entries, files, closings, extracts and proofs work.
import type { Locale } from '../../../../core/domain/base/locale.js';
import { Table } from '../../kit/pages/table.js';
import { ToPlace } from '../dashboard-layout.js';
import { useDashboard } from '../dashboard-scene.js';
import { anyRole, memberPages } from '../member-pages.js';

interface Section {
  readonly heading: string;
  readonly text?: string;
  /** Its columns, and its rows. */
  readonly table?: {
    readonly heads: readonly [string, string];
    readonly rows: readonly (readonly [string, string])[];
  };
}

type Guide = Readonly<{ title: string; lede: string; sections: readonly Section[] }>;

const en: Guide = {
  title: 'For your accountant',
  lede:
    'Where Ponte has the facts that your books, the tax office and the central bank need. This ' +
    'is no legal or tax advice: its sources are summaries of law firms and of the press, and ' +
    'your accountant decides what applies.',
  sections: [
    {
      heading: 'Facts of a payment',
      text: 'The page of a payment, its proof, the CSV file of the list and the API have them.',
      table: {
        heads: ['Fact', 'Where'],
        rows: [
          ['BRL, rate and fees of each PIX', 'Page, proof, CSV, extract'],
          [
            'VET: BRL per unit that the buyer paid, all costs included',
            'Page, proof, CSV, extract',
          ],
          ['Stablecoin: token, network, quantity', 'Page, proof, CSV, extract'],
          ['Hash of its transaction', 'Proof, CSV, extract'],
          ['The payer as verified, and as the bank wrote it', 'Page, proof, extract'],
        ],
      },
    },
    {
      heading: 'What you give',
      text:
        'The NF-e or NFS-e can be added or replaced later, also after the settlement. The rest ' +
        'cannot: what was not given is missing in extract and proof.',
      table: {
        heads: ['Fact', 'Where'],
        rows: [
          ['Purpose and relation of the payer', 'Form of an invoice, import, API'],
          [
            'Access key of the NF-e or NFS-e',
            'Form of an invoice, import, page of the payment, API',
          ],
          ['The rate at which you booked the amount', 'Form of an invoice, import, API'],
        ],
      },
    },
    {
      heading: 'Entries',
      text:
        'Each entry adds up to 0.00 in each currency and has the day of its booking. It never ' +
        'changes: a PIX that comes back is an entry of the day on which it came back. With the ' +
        'rate of your books, the rest of the BRL is the exchange difference. “Names of ' +
        'accounts” takes the codes of your chart of accounts.',
    },
    {
      heading: 'Files of a month',
      table: {
        heads: ['Format', 'What reads it'],
        rows: [
          ['CSV', 'Spreadsheets: one row for each line of an entry'],
          ['hledger, ledger, Beancount', 'The programs of these names'],
          ['OFX', 'Finance programs: what the partner holds, by currency, and what you received'],
          ['camt.053', 'The same statements as a bank sends them (ISO 20022)'],
        ],
      },
    },
    {
      heading: 'Closing a month',
      text:
        'Close it once it is over and in your books. Earlier months are closed with it. Their ' +
        'entries, days and account names then stay, and what is booked later is of the first ' +
        'day of the next month. A closed month cannot be opened again.',
    },
    {
      heading: 'Extract of the month',
      text:
        'A line for each PIX: stablecoin, quantity, BRL, payer, relation and purpose. A PIX that ' +
        'came back is a negative line. The column “missing” names the facts that are not known.',
    },
    {
      heading: 'Proofs',
      text:
        'A signed pack (ZIP) for each settled payment, and one for each payee and month, with ' +
        'what the exemption of PIS and COFINS asks, shown or missing. Open its verify.html in a ' +
        'browser and choose the ZIP file: it says whether a byte was changed, and sends nothing.',
    },
    {
      heading: 'Duties',
      text:
        '“What the law asks” has each duty, who has it, by when, what Ponte gives for it, and ' +
        'the source.',
    },
  ],
};

const ptBr: Guide = {
  title: 'Para o seu contador',
  lede:
    'Onde a Ponte tem os dados que a sua contabilidade, a Receita Federal e o Banco Central ' +
    'pedem. Isto não é orientação jurídica nem tributária: as fontes são resumos de escritórios ' +
    'de advocacia e da imprensa, e o seu contador decide o que se aplica.',
  sections: [
    {
      heading: 'Dados de um pagamento',
      text: 'Estão na página do pagamento, no comprovante, no arquivo CSV da lista e na API.',
      table: {
        heads: ['Dado', 'Onde'],
        rows: [
          ['BRL, taxa e tarifas de cada PIX', 'Página, comprovante, CSV, extrato'],
          [
            'VET: BRL por unidade paga pelo comprador, com todos os custos',
            'Página, comprovante, CSV, extrato',
          ],
          ['Stablecoin: token, rede, quantidade', 'Página, comprovante, CSV, extrato'],
          ['Hash da transação', 'Comprovante, CSV, extrato'],
          ['O pagador como verificado e como o banco o escreveu', 'Página, comprovante, extrato'],
        ],
      },
    },
    {
      heading: 'O que você informa',
      text:
        'A NF-e ou NFS-e pode ser incluída ou substituída depois, também após a liquidação. O ' +
        'resto não: o que não foi informado falta no extrato e no comprovante.',
      table: {
        heads: ['Dado', 'Onde'],
        rows: [
          ['Finalidade e relação do pagador', 'Formulário da fatura, importação, API'],
          [
            'Chave de acesso da NF-e ou NFS-e',
            'Formulário da fatura, importação, página do pagamento, API',
          ],
          [
            'A taxa de câmbio com que você contabilizou o valor',
            'Formulário da fatura, importação, API',
          ],
        ],
      },
    },
    {
      heading: 'Lançamentos',
      text:
        'Cada lançamento soma 0,00 em cada moeda e tem o dia do registro. Ele nunca muda: um ' +
        'PIX devolvido é um lançamento do dia da devolução. Com a taxa da sua contabilidade, a ' +
        'diferença em BRL é a variação cambial. Em “Nomes das contas” entram os códigos do seu ' +
        'plano de contas.',
    },
    {
      heading: 'Arquivos do mês',
      table: {
        heads: ['Formato', 'Quem lê'],
        rows: [
          ['CSV', 'Planilhas: uma linha para cada linha de um lançamento'],
          ['hledger, ledger, Beancount', 'Os programas com esses nomes'],
          [
            'OFX',
            'Programas financeiros: o saldo em poder do parceiro, por moeda, e o que você recebeu',
          ],
          ['camt.053', 'Os mesmos extratos no formato dos bancos (ISO 20022)'],
        ],
      },
    },
    {
      heading: 'Fechar o mês',
      text:
        'Feche o mês quando ele tiver terminado e estiver na sua contabilidade. Os meses ' +
        'anteriores fecham junto. Os lançamentos, os dias e os nomes das contas não mudam mais, ' +
        'e o que for registrado depois entra no primeiro dia do mês seguinte. Um mês fechado ' +
        'não pode ser reaberto.',
    },
    {
      heading: 'Extrato do mês',
      text:
        'Uma linha para cada PIX: stablecoin, quantidade, BRL, pagador, relação e finalidade. Um ' +
        'PIX devolvido é uma linha negativa. A coluna “missing” diz quais dados faltam.',
    },
    {
      heading: 'Comprovantes',
      text:
        'Um pacote assinado (ZIP) para cada pagamento liquidado, e um para cada recebedor e mês, ' +
        'com o que a isenção de PIS e COFINS pede, comprovado ou faltando. Abra o verify.html em ' +
        'um navegador e escolha o arquivo ZIP: ele diz se algum byte mudou, e nada é enviado.',
    },
    {
      heading: 'Deveres',
      text:
        '“O que a lei pede” tem cada dever, quem o cumpre, até quando, o que a Ponte fornece e a ' +
        'fonte.',
    },
  ],
};

const es: Guide = {
  title: 'Para su contador',
  lede:
    'Dónde tiene Ponte los datos que piden su contabilidad, el fisco y el banco central de ' +
    'Brasil. Esto no es asesoría legal ni tributaria: las fuentes son resúmenes de estudios ' +
    'jurídicos y de la prensa, y su contador decide qué se aplica.',
  sections: [
    {
      heading: 'Datos de un pago',
      text: 'Están en la página del pago, en su comprobante, en el CSV de la lista y en la API.',
      table: {
        heads: ['Dato', 'Dónde'],
        rows: [
          ['BRL, tasa y comisiones de cada PIX', 'Página, comprobante, CSV, extracto'],
          [
            'VET: BRL por unidad que pagó el comprador, con todos los costos',
            'Página, comprobante, CSV, extracto',
          ],
          ['Stablecoin: token, red, cantidad', 'Página, comprobante, CSV, extracto'],
          ['Hash de su transacción', 'Comprobante, CSV, extracto'],
          [
            'El pagador como fue verificado y como lo escribió el banco',
            'Página, comprobante, extracto',
          ],
        ],
      },
    },
    {
      heading: 'Lo que usted indica',
      text:
        'La NF-e o NFS-e se puede añadir o reemplazar después, también tras la liquidación. El ' +
        'resto no: lo que no se indicó falta en el extracto y en el comprobante.',
      table: {
        heads: ['Dato', 'Dónde'],
        rows: [
          ['Finalidad y relación del pagador', 'Formulario de la factura, importación, API'],
          [
            'Clave de acceso de la NF-e o NFS-e',
            'Formulario de la factura, importación, página del pago, API',
          ],
          [
            'La tasa con la que contabilizó el importe',
            'Formulario de la factura, importación, API',
          ],
        ],
      },
    },
    {
      heading: 'Asientos',
      text:
        'Cada asiento suma 0,00 en cada moneda y tiene el día de su registro. Nunca cambia: un ' +
        'PIX devuelto es un asiento del día de la devolución. Con la tasa de su contabilidad, ' +
        'el resto en BRL es la diferencia de cambio. En “Nombres de las cuentas” van los códigos ' +
        'de su plan de cuentas.',
    },
    {
      heading: 'Archivos del mes',
      table: {
        heads: ['Formato', 'Qué lo lee'],
        rows: [
          ['CSV', 'Hojas de cálculo: una fila para cada línea de un asiento'],
          ['hledger, ledger, Beancount', 'Los programas de estos nombres'],
          [
            'OFX',
            'Programas de finanzas: lo que guarda el proveedor, por moneda, y lo que usted recibió',
          ],
          ['camt.053', 'Los mismos extractos en el formato de los bancos (ISO 20022)'],
        ],
      },
    },
    {
      heading: 'Cerrar el mes',
      text:
        'Ciérrelo cuando haya terminado y esté en su contabilidad. Los meses anteriores se ' +
        'cierran con él. Sus asientos, días y nombres de cuentas ya no cambian, y lo que se ' +
        'registre después es del primer día del mes siguiente. Un mes cerrado no se puede reabrir.',
    },
    {
      heading: 'Extracto del mes',
      text:
        'Una línea para cada PIX: stablecoin, cantidad, BRL, pagador, relación y finalidad. Un ' +
        'PIX devuelto es una línea negativa. La columna “missing” dice qué datos faltan.',
    },
    {
      heading: 'Comprobantes',
      text:
        'Un paquete firmado (ZIP) para cada pago liquidado, y uno para cada beneficiario y mes, ' +
        'con lo que pide la exención de PIS y COFINS, probado o faltante. Abra su verify.html en ' +
        'un navegador y elija el archivo ZIP: dice si cambió algún byte, y no envía nada.',
    },
    {
      heading: 'Deberes',
      text:
        '“Lo que pide la ley” tiene cada deber, quién lo cumple, hasta cuándo, qué da Ponte y la ' +
        'fuente.',
    },
  ],
};

export const accountingGuides: Readonly<Record<Locale, Guide>> = { en, 'pt-BR': ptBr, es };

export const GUIDE_PATH = '/accounting/guide';

export const accountingGuidePages = [
  memberPages.view({
    path: GUIDE_PATH,
    access: { scope: anyRole, proof: 'session' },
    load: async () => null,
    show: ({ view }) => ({
      title: accountingGuides[view.locale].title,
      lede: accountingGuides[view.locale].lede,
      place: 'accounting',
      crumbs: [<ToPlace of="accounting" />],
      body: <Sections />,
    }),
  }),
];

function Sections() {
  const { view } = useDashboard();
  return (
    <div class="stack-l">
      {accountingGuides[view.locale].sections.map(({ heading, text, table }) => (
        <section class="stack">
          <h2>{heading}</h2>
          {text === undefined ? null : <p>{text}</p>}
          {table === undefined ? null : (
            <Table
              label={heading}
              rows={table.rows}
              columns={({ column, named }) => [
                named(table.heads[0], ([first]) => first),
                column(table.heads[1], ([, second]) => second),
              ]}
            />
          )}
        </section>
      ))}
    </div>
  );
}
