// What sellers hand to their accountants, in the languages of the dashboard: where the facts are,
// how entries, files and closings work, and what the law asks, with its sources.
import type { VNode } from 'preact';
import type { Locale } from '../../../../core/domain/base/locale.js';
import { Table } from '../../kit/pages/table.js';
import { useDashboard } from '../dashboard-scene.js';
import { anyRole } from '../member-page.js';
import { memberPages } from '../member-pages.js';

interface Section {
  readonly heading: string;
  readonly text?: string;
  /** Its columns, and its rows. */
  readonly table?: {
    readonly heads: readonly [string, string];
    readonly rows: readonly (readonly [string, string])[];
  };
}

interface Guide {
  readonly title: string;
  readonly lede: string;
  readonly sections: readonly Section[];
}

const en: Guide = {
  title: 'For your accountant',
  lede:
    'Where Ponte has the facts that your books, the tax office and the central bank need. This ' +
    'is no legal or tax advice: its sources are summaries of law firms and of the press, and ' +
    'your accountant decides what applies.',
  sections: [
    {
      heading: 'Facts of a payment',
      text: 'The page of a payment, the CSV file of the list and the API have them.',
      table: {
        heads: ['Fact', 'Where'],
        rows: [
          ['BRL, rate and fees of each PIX', 'Page of the payment, CSV, extract'],
          ['VET: BRL per unit that the buyer paid, all costs included', 'Page of the payment, CSV'],
          ['Stablecoin: token, network, quantity, transaction', 'CSV, extract'],
          ['Purpose, relation of the payer, access key of the NF-e or NFS-e', 'Form of an invoice'],
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
        'Close it once it is in your books. Its entries, days and account names then stay, and ' +
        'what is booked later is of the first day of the next month.',
    },
    {
      heading: 'What is asked for, and by whom',
      table: {
        heads: ['Duty', 'Source'],
        rows: [
          [
            'The provider reports each payment from abroad with a stablecoin to the central bank',
            'Machado Meyer on IN BCB 693',
          ],
          [
            'DeCripto: residents who use foreign providers, or none, declare above BRL 35,000 a ' +
              'month. Ask whether this includes you',
            'HCLB, APET and fiscalnews on IN RFB 2.291',
          ],
          [
            'Exports of services are free of PIS/COFINS if the inflow and its link to the ' +
              'service can be shown',
            'Barros, Kincaid and others on Cosit 160/2024 and 179/2025',
          ],
        ],
      },
    },
  ],
};

const ptBr: Guide = {
  title: 'Para o seu contador',
  lede:
    'Onde a Ponte tem os dados que os seus livros, a Receita e o Banco Central pedem. Isto não ' +
    'é consultoria jurídica nem tributária: as fontes são resumos de escritórios e da imprensa, ' +
    'e o seu contador decide o que se aplica.',
  sections: [
    {
      heading: 'Dados de um pagamento',
      text: 'Estão na página do pagamento, no arquivo CSV da lista e na API.',
      table: {
        heads: ['Dado', 'Onde'],
        rows: [
          ['BRL, taxa e tarifas de cada PIX', 'Página do pagamento, CSV, extrato'],
          ['VET: BRL por unidade paga pelo comprador, com todos os custos', 'Página, CSV'],
          ['Stablecoin: token, rede, quantidade, transação', 'CSV, extrato'],
          [
            'Finalidade, relação do pagador, chave de acesso da NF-e ou NFS-e',
            'Formulário da fatura',
          ],
          ['A taxa com que você registrou o valor', 'Formulário da fatura, importação, API'],
        ],
      },
    },
    {
      heading: 'Lançamentos',
      text:
        'Cada lançamento soma 0,00 em cada moeda e tem o dia do registro. Ele nunca muda: um ' +
        'PIX devolvido é um lançamento do dia da devolução. Com a taxa dos seus livros, o resto ' +
        'dos BRL é a variação cambial. Em “Nomes das contas” entram os códigos do seu plano de ' +
        'contas.',
    },
    {
      heading: 'Arquivos do mês',
      table: {
        heads: ['Formato', 'Quem lê'],
        rows: [
          ['CSV', 'Planilhas: uma linha para cada partida'],
          ['hledger, ledger, Beancount', 'Os programas com esses nomes'],
          [
            'OFX',
            'Programas financeiros: o que o parceiro guarda, por moeda, e o que você recebeu',
          ],
          ['camt.053', 'Os mesmos extratos como um banco os envia (ISO 20022)'],
        ],
      },
    },
    {
      heading: 'Fechar o mês',
      text:
        'Feche quando ele estiver nos seus livros. Lançamentos, dias e nomes das contas ficam, ' +
        'e o que for registrado depois é do primeiro dia do mês seguinte.',
    },
    {
      heading: 'O que se pede, e quem pede',
      table: {
        heads: ['Dever', 'Fonte'],
        rows: [
          [
            'O prestador informa ao Banco Central cada pagamento do exterior com stablecoin',
            'Machado Meyer sobre a IN BCB 693',
          ],
          [
            'DeCripto: residentes com prestadores estrangeiros, ou sem prestador, declaram ' +
              'acima de BRL 35.000 por mês. Pergunte se isso inclui você',
            'HCLB, APET e fiscalnews sobre a IN RFB 2.291',
          ],
          [
            'A exportação de serviços não paga PIS/COFINS se o ingresso e o vínculo com o ' +
              'serviço puderem ser provados',
            'Barros, Kincaid e outros sobre Cosit 160/2024 e 179/2025',
          ],
        ],
      },
    },
  ],
};

const es: Guide = {
  title: 'Para su contador',
  lede:
    'Dónde tiene Ponte los datos que piden sus libros, el fisco y el banco central de Brasil. ' +
    'Esto no es asesoramiento legal ni fiscal: las fuentes son resúmenes de bufetes y de la ' +
    'prensa, y su contador decide qué se aplica.',
  sections: [
    {
      heading: 'Datos de un pago',
      text: 'Están en la página del pago, en el archivo CSV de la lista y en la API.',
      table: {
        heads: ['Dato', 'Dónde'],
        rows: [
          ['BRL, tasa y comisiones de cada PIX', 'Página del pago, CSV, extracto'],
          ['VET: BRL por unidad que pagó el comprador, con todos los costos', 'Página, CSV'],
          ['Stablecoin: token, red, cantidad, transacción', 'CSV, extracto'],
          [
            'Finalidad, relación del pagador, clave de acceso de la NF-e o NFS-e',
            'Formulario de la factura',
          ],
          ['La tasa con la que registró el importe', 'Formulario de la factura, importación, API'],
        ],
      },
    },
    {
      heading: 'Asientos',
      text:
        'Cada asiento suma 0,00 en cada moneda y tiene el día de su registro. Nunca cambia: un ' +
        'PIX devuelto es un asiento del día de la devolución. Con la tasa de sus libros, el ' +
        'resto de los BRL es la diferencia de cambio. “Nombres de las cuentas” toma los códigos ' +
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
          ['camt.053', 'Los mismos extractos como los envía un banco (ISO 20022)'],
        ],
      },
    },
    {
      heading: 'Cerrar el mes',
      text:
        'Ciérrelo cuando esté en sus libros. Sus asientos, días y nombres de cuentas quedan, y ' +
        'lo que se registre después es del primer día del mes siguiente.',
    },
    {
      heading: 'Qué se pide, y quién lo pide',
      table: {
        heads: ['Deber', 'Fuente'],
        rows: [
          [
            'El proveedor informa al banco central cada pago del exterior con stablecoin',
            'Machado Meyer sobre la IN BCB 693',
          ],
          [
            'DeCripto: residentes con proveedores extranjeros, o sin proveedor, declaran desde ' +
              'BRL 35.000 al mes. Pregunte si esto lo incluye',
            'HCLB, APET y fiscalnews sobre la IN RFB 2.291',
          ],
          [
            'La exportación de servicios no paga PIS/COFINS si el ingreso y su vínculo con el ' +
              'servicio se pueden probar',
            'Barros, Kincaid y otros sobre Cosit 160/2024 y 179/2025',
          ],
        ],
      },
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
    show: ({ texts, view }) => ({
      title: accountingGuides[view.locale].title,
      lede: accountingGuides[view.locale].lede,
      place: 'accounting',
      crumbs: <a href={`${view.path}/accounting`}>{texts.places.accounting}</a>,
      body: <Sections />,
    }),
  }),
];

function Sections(): VNode {
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
