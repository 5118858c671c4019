// Texts of the pages for accounting, in each language.
import type { EntryAccount } from '../../../../core/domain/accounting/settlement-entry.js';
import type { Locale } from '../../../../core/domain/base/locale.js';

const en = {
  lede: 'Double entries of your payments for your books, derived from the ledger to the cent.',
  month: 'Month',
  show: 'Show',
  day: 'Day',
  account: 'Account',
  debit: 'Debit',
  credit: 'Credit',
  empty: 'No entries in this month.',
  more: (shown: string) => `The first ${shown} entries. The file has all of them.`,
  file: 'Download the month',
  fileText: 'Entries appear a minute after their booking.',
  format: 'Format',
  close: 'Close the month',
  closeText:
    'Once it is in your books. Its entries and their account names then stay as they are, ' +
    'and what is booked later is an entry of the next month. This cannot be undone.',
  closedOn: (day: string) => `Closed ${day}. Its entries do not change any more.`,
  names: 'Names of accounts',
  namesText:
    'As in your books: letters, digits, “.”, “_”, “-” and “:”. Without one, the usual ' +
    'name is used. Closed months keep their names.',
  save: 'Save names',
  notAName: 'Use letters, digits, “.”, “_”, “-” and “:” only.',
  extract: 'Extract of the month',
  extractText:
    'Every PIX of the month with stablecoin, quantity, BRL, payer and purpose: what a ' +
    'monthly declaration of crypto assets (DeCripto, IN RFB 2.291) asks for. Days are ' +
    'those of Brasília. This is no advice: your accountant decides whether you declare.',
  extractCount: (count: string, sum: string) => `${count} PIX, ${sum}`,
  incomplete: (count: string) =>
    `${count} of them lack facts. The column “missing” of the file names them.`,
  accounts: {
    buyer: 'Receivables from buyers',
    partner_float: 'Held by the partner',
    refunds: 'Refunds owed to buyers',
    suspense: 'Deposits to be clarified',
    adjustments: 'Deposits settled otherwise',
    seller: 'Received by PIX',
    operator: 'Paid by the operator',
    losses: 'Losses of the operator',
    write_offs: 'Losses written off',
    conversion: 'Currency conversion',
    fees: 'Fees of the partner',
    exchange_difference: 'Exchange difference',
  } satisfies Record<EntryAccount, string>,
};

export type AccountingTexts = typeof en;

export const accountingTexts: Readonly<Record<Locale, AccountingTexts>> = {
  en,
  'pt-BR': {
    lede: 'Lançamentos em partidas dobradas dos seus pagamentos, iguais ao razão até o centavo.',
    month: 'Mês',
    show: 'Mostrar',
    day: 'Dia',
    account: 'Conta',
    debit: 'Débito',
    credit: 'Crédito',
    empty: 'Nenhum lançamento neste mês.',
    more: (shown) => `Os primeiros ${shown} lançamentos. O arquivo tem todos.`,
    file: 'Baixar o mês',
    fileText: 'Lançamentos aparecem um minuto depois do registro.',
    format: 'Formato',
    close: 'Fechar o mês',
    closeText:
      'Quando ele estiver nos seus livros. Os lançamentos e os nomes das contas ficam como ' +
      'estão, e o que for registrado depois entra no mês seguinte. Não dá para desfazer.',
    closedOn: (day) => `Fechado em ${day}. Os lançamentos não mudam mais.`,
    names: 'Nomes das contas',
    namesText:
      'Como nos seus livros: letras sem acento, algarismos, “.”, “_”, “-” e “:”. Sem nome, ' +
      'vale o usual. Meses fechados mantêm os nomes.',
    save: 'Salvar nomes',
    notAName: 'Use só letras sem acento, algarismos, “.”, “_”, “-” e “:”.',
    extract: 'Extrato do mês',
    extractText:
      'Cada PIX do mês com stablecoin, quantidade, BRL, pagador e finalidade: o que pede a ' +
      'declaração mensal de criptoativos (DeCripto, IN RFB 2.291). Os dias são os de ' +
      'Brasília. Isto não é consultoria: seu contador decide se há declaração.',
    extractCount: (count, sum) => `${count} PIX, ${sum}`,
    incomplete: (count) =>
      `Em ${count} deles faltam dados. A coluna “missing” do arquivo diz quais.`,
    accounts: {
      buyer: 'Clientes a receber',
      partner_float: 'Em poder do parceiro',
      refunds: 'Devoluções a compradores',
      suspense: 'Depósitos a esclarecer',
      adjustments: 'Depósitos resolvidos de outra forma',
      seller: 'Recebido por PIX',
      operator: 'Pago pelo operador',
      losses: 'Perdas do operador',
      write_offs: 'Perdas baixadas',
      conversion: 'Conversão de moeda',
      fees: 'Tarifas do parceiro',
      exchange_difference: 'Variação cambial',
    },
  },
  es: {
    lede: 'Asientos por partida doble de sus pagos, iguales al libro mayor hasta el céntimo.',
    month: 'Mes',
    show: 'Mostrar',
    day: 'Día',
    account: 'Cuenta',
    debit: 'Debe',
    credit: 'Haber',
    empty: 'No hay asientos en este mes.',
    more: (shown) => `Los primeros ${shown} asientos. El archivo los tiene todos.`,
    file: 'Descargar el mes',
    fileText: 'Los asientos aparecen un minuto después de su registro.',
    format: 'Formato',
    close: 'Cerrar el mes',
    closeText:
      'Cuando esté en sus libros. Sus asientos y los nombres de las cuentas quedan como están, y ' +
      'lo que se registre después es un asiento del mes siguiente. No se puede deshacer.',
    closedOn: (day) => `Cerrado el ${day}. Sus asientos ya no cambian.`,
    names: 'Nombres de las cuentas',
    namesText:
      'Como en sus libros: letras sin acento, cifras, “.”, “_”, “-” y “:”. Sin nombre vale ' +
      'el usual. Los meses cerrados conservan sus nombres.',
    save: 'Guardar nombres',
    notAName: 'Use solo letras sin acento, cifras, “.”, “_”, “-” y “:”.',
    extract: 'Extracto del mes',
    extractText:
      'Cada PIX del mes con stablecoin, cantidad, BRL, pagador y finalidad: lo que pide la ' +
      'declaración mensual de criptoactivos de Brasil (DeCripto, IN RFB 2.291). Los días son los ' +
      'de Brasilia. Esto no es asesoramiento: su contador decide si hay declaración.',
    extractCount: (count, sum) => `${count} PIX, ${sum}`,
    incomplete: (count) =>
      `En ${count} de ellos faltan datos. La columna “missing” del archivo dice cuáles.`,
    accounts: {
      buyer: 'Clientes por cobrar',
      partner_float: 'En poder del proveedor',
      refunds: 'Devoluciones a compradores',
      suspense: 'Depósitos por aclarar',
      adjustments: 'Depósitos resueltos de otro modo',
      seller: 'Recibido por PIX',
      operator: 'Pagado por el operador',
      losses: 'Pérdidas del operador',
      write_offs: 'Pérdidas dadas de baja',
      conversion: 'Conversión de moneda',
      fees: 'Comisiones del proveedor',
      exchange_difference: 'Diferencia de cambio',
    },
  },
};
