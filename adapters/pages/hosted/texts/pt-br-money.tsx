// Brazilian Portuguese texts about prices, transfers, receipts and refunds.
import { sentence } from '../../kit/format.js';
import { prose } from '../../kit/frame-texts.js';
import type { MoneyCatalogue } from './en-money.js';

export const ptBrMoney = {
  money: {
    heading: 'Seu dinheiro',
    asked: 'Valor solicitado',
    received: 'Recebido de você',
    receivedOn: (day) => prose`Recebido de você em ${day}`,
    refunded: 'Devolvido a você',
    goingBack: 'A devolver a você',
    review: 'Em análise',
    forPayee: (payee) => `Para ${payee}`,
  },
  route: {
    heading: 'Onde está o dinheiro',
    withYou: 'com você: nada chegou ainda',
    sent: (amount) => `enviou ${amount}`,
    converts: (from) => `converte ${from} em BRL`,
    holds: (amount) => `está com ${amount}`,
    passedOn: 'repassou o dinheiro',
    waits: 'recebe quando chegar tudo',
    receives: 'recebe em BRL',
    receivesAbout: (amount) => `recebe cerca de ${amount}`,
    receivesExactly: (amount) => `recebe ${amount}`,
    pix: 'está recebendo por PIX',
    paidOut: (amount) => `recebeu ${amount}`,
    returns: 'devolve o dinheiro',
    banks: 'Bancos',
    onItsWay: (amount) => `${amount} a caminho`,
    takesDays: 'até 5 dias úteis',
    backWithYou: (amount) => `${amount} de volta`,
  },
  price: {
    ask: (payee) => `Veja quanto ${payee} vai receber`,
    askText: 'Seus dados estão completos. Agora pedimos uma cotação, válida por alguns minutos.',
    show: 'Ver a cotação',
    heading: 'Confira e confirme',
    youPay: 'Você paga',
    fees: 'Tarifas, já incluídas',
    rate: 'Câmbio',
    receives: (payee) => `${payee} recebe`,
    about: 'cerca de',
    before: (value) => `antes: ${value}`,
    indicative: (amount) =>
      'O valor final segue a cotação na chegada da transferência. O que você paga continua sendo ' +
      `${amount}. Seu banco pode cobrar pela transferência.`,
    locked: 'O valor é garantido. Seu banco pode cobrar pela transferência.',
    lockedUntil: {
      ahead: (when) => (
        <>
          O valor é garantido se a sua transferência chegar até {when}. Seu banco pode cobrar pela
          transferência.
        </>
      ),
      over: (when) => (
        <>
          O valor era garantido para transferências até {when}. Seu banco pode cobrar pela
          transferência.
        </>
      ),
    },
    confirm: (amount) => `Confirmar ${amount}`,
    confirmHint: 'Confirmar não movimenta dinheiro. Em seguida você vê os dados bancários.',
    until: (time) => prose`Esta cotação vale até ${time}.`,
    after: 'Depois disso, um clique traz uma nova.',
    payWithin: (days) =>
      `Os dados bancários valem por ${days} dias. O que chegar depois é devolvido.`,
    tooEarly: (days, day) => (
      <>
        Este pagamento vence em {day}: para pagar nesse dia, confirme nos {days} dias antes dele.
      </>
    ),
    left: 'Faltam {time}.',
    left120: 'Faltam 2 minutos',
    left30: 'Faltam 30 segundos',
    over: 'Esta cotação expirou',
    overNext: (when) => (
      <>Ela valia até {when}. Uma nova leva um instante, e nada precisa ser digitado de novo.</>
    ),
    overTodo: 'Peça uma nova cotação, depois confira e confirme.',
    renew: 'Pedir nova cotação',
    changed: 'A cotação foi atualizada',
    changedText: 'Nada foi confirmado. Confira a nova cotação e confirme.',
    items: 'Itens e observações',
    lines: 'Itens',
    item: 'Descrição',
    unitPrice: 'Preço unitário',
    subtotal: 'Subtotal',
    total: 'Total',
    notes: 'Observações',
  },
  limit: {
    heading: 'Este valor não pode ser pago agora',
    cause: {
      payment: (payee, left) =>
        left === null
          ? `É mais do que ${payee} pode receber em um pagamento.`
          : `${payee} pode receber no máximo ${left} em um pagamento.`,
      day: (payee, left) =>
        left === null
          ? `${payee} atingiu um limite e não pode receber mais nada hoje.`
          : `${payee} tem um limite diário e hoje pode receber no máximo mais ${left}.`,
      month: (payee, left) =>
        left === null
          ? `${payee} atingiu um limite e não pode receber mais nada neste mês.`
          : `${payee} tem um limite mensal e neste mês pode receber no máximo mais ${left}.`,
      unknown: (payee) => `O valor passa de um limite do que ${payee} pode receber.`,
      transfer: () => 'Pela norma destes pagamentos, é mais do que cabe em uma transferência.',
    },
    until: (when) => prose`Pode ser possível a partir de ${when}.`,
    next: 'Será possível se o limite for aumentado. Esta cobrança continua aberta.',
    wait: (org) => `Volte nessa data ou peça a ${org} um valor menor.`,
    ask: (org) => `Peça a ${org} um valor menor ou outra forma de pagar.`,
  },
  purposes: {
    goods: 'Mercadorias',
    services: 'Serviços',
    software_and_licenses: 'Software e licenças',
    royalties: 'Royalties e direitos',
    freight_and_logistics: 'Frete e logística',
    advertising: 'Publicidade',
    commissions: 'Comissões',
    rentals: 'Aluguéis',
    other: 'Outros',
  },
  together: {
    heading: (count) => `Pagar ${count} pagamentos com uma só transferência`,
    lede: (payee) =>
      `Todos vão para ${payee}. Confirme a cotação de cada um: depois você recebe os dados ` +
      'bancários, com uma única referência.',
    receives: 'O recebedor recebe',
    total: 'Total da transferência',
    order:
      'O dinheiro paga primeiro, por inteiro, o pagamento que vence antes, e depois o seguinte. ' +
      'Se chegar menos que o total, os últimos ficam em aberto.',
    isSent: 'Se você já enviou dinheiro para um deles, não o escolha.',
    accepted: 'Sem tarifas e câmbio: você já confirmou essa cotação.',
    pays: (count) => `Esta transferência paga ${count} pagamentos`,
    remittance: 'Aviso de remessa',
    remittanceText: 'Um documento para esta transferência, com todos os pagamentos e números.',
    remittancePrint: 'Imprimir o aviso',
    once:
      'Envie o total uma só vez, com esta referência. Não faça uma transferência para cada ' +
      'pagamento.',
  },
  transfer: {
    preparing: 'Preparando os dados bancários',
    preparingNext:
      'Ficam prontos em poucos segundos. Se você fechar esta página antes, avisamos por e‑mail.',
    heading: (amount) => `Envie ${amount} por transferência bancária`,
    nothing: 'Nada chegou ainda.',
    takes: 'Prazo',
    days: (from, to) => {
      if (to === 0) return 'no mesmo dia';
      const days = `${to} ${to === 1 ? 'dia útil' : 'dias úteis'}`;
      if (from === to) return days;
      return `${from === 0 ? 'até' : `de ${from} a`} ${days}`;
    },
    match: 'Copie estes dados exatamente como estão',
    matchAmount: 'Copie o valor exatamente como está',
    referenceNote:
      'Informe a referência no campo “referência”, “finalidade” ou “mensagem ao favorecido”. Sem ' +
      'ela não sabemos que o dinheiro é seu: ele espera até que alguém o identifique, ou volta.',
    referenceHelps:
      'A própria conta mostra que o dinheiro é seu. Se houver espaço, informe também a referência.',
    accounts: {
      us: 'Conta nos EUA',
      abroad: 'Conta para transferências de outros países',
      euros: 'Conta para transferências em euros',
      uk: 'Conta no Reino Unido',
      brazil: 'Conta no Brasil',
    },
    accountTypes: { checking: 'Conta corrente (checking)', savings: 'Conta poupança (savings)' },
    fields: {
      beneficiary: 'Titular da conta',
      accountNumber: 'Número da conta',
      iban: 'IBAN',
      routingNumber: 'Routing number',
      bic: 'BIC (SWIFT)',
      accountType: 'Tipo de conta',
      bank: 'Banco',
      bankAddress: 'Endereço do banco',
      beneficiaryAddress: 'Endereço do titular',
      code: 'Código do banco (sort code)',
    },
    holder: (holder, payee) =>
      `A conta pertence a ${holder}, que converte o seu pagamento para o recebedor. É normal que ` +
      `${payee} não seja o titular da conta.`,
    scan: 'Ler com o aplicativo do banco',
    scanLabel: 'Código QR com conta, valor e referência',
    charges: 'Tarifas do banco',
    chargesOur: 'Escolha “OUR”: as tarifas ficam por sua conta, e o valor chega inteiro.',
    newAccount: (payee) => (
      <>
        <b>Esta conta para {payee} é nova.</b> Você ainda não fez pagamentos para ela.{' '}
        <a href="#check">Confira por telefone</a> antes de pagar.
      </>
    ),
    sameAccount: (day, payee) =>
      prose`Seu pagamento a ${payee} em ${day} foi para esta mesma conta.`,
    replaced: (changed, before, check) => (
      <>
        <b>Estes dados bancários mudaram em {changed}.</b> Não use mais os de {before}.{' '}
        <a href={check}>Confira os novos por telefone</a> antes de pagar.
      </>
    ),
    check: 'Esta conta está certa?',
    checkText: (payee) =>
      `Ligue para ${payee} em um número que você já tem, não em um que veio por e‑mail. Peça que ` +
      'leiam este código para você.',
    checkCode: 'Código de conferência',
    address: 'Endereço desta página',
    shortId: 'Identificador curto desta página',
    checkOther: 'Conferir código ou conta',
    given: (when) => prose`Informados em ${when}.`,
    changes: 'Se eles mudarem, esta página diz isso e avisamos por e‑mail.',
    sentAlready: 'Já enviou?',
    sentText: (
      <>
        Não é preciso fazer mais nada. Avisamos quando chegar. <b>Não pague novamente</b> se demorar
        alguns dias.
      </>
    ),
    payBy: {
      ahead: (day) =>
        prose`Envie de modo que chegue até ${day}: valores que chegarem depois são devolvidos.`,
      over: (day) => (
        <>Devia chegar até {day}. Não envie agora: valores que chegarem depois são devolvidos.</>
      ),
    },
    invoiceDue: {
      ahead: (day) => prose`A fatura vence em ${day}.`,
      over: (day) => prose`A fatura venceu em ${day}.`,
    },
    firstDue: {
      ahead: (day) => prose`O primeiro destes pagamentos vence em ${day}.`,
      over: (day) => prose`O primeiro destes pagamentos venceu em ${day}.`,
    },
    print: 'Imprimir estes dados',
    late: (org) =>
      'Sua transferência não chegou, embora já devesse ter chegado. Se você a enviou, pergunte ' +
      `ao seu banco onde ela está e avise ${org}. Se não enviou, ainda pode enviar.`,
    details: 'Dados bancários',
    printedFor: (payee) => sentence(`Para o seu pagamento a ${payee}.`),
  },
  late: 'Está demorando mais que o normal. Estamos verificando e avisamos por e‑mail.',
  held: {
    heading: 'Sua transferência está em análise',
    lede: 'Seu dinheiro chegou. Nosso parceiro de liquidação o verifica antes de confirmar.',
    money: (partner) => `${partner} está com a sua transferência.`,
    next: (payee) =>
      `Ao fim da análise pagamos a ${payee} e avisamos por e‑mail. Pode levar até 30 dias.`,
  },
  short: {
    heading: (amount) => `Ainda falta receber ${amount}`,
    received: (amount) => `Recebemos ${amount}.`,
    receivedOn: (amount, day) => prose`Recebemos ${amount} em ${day}.`,
    next: (amount, payee) =>
      `Quando chegar o restante, ${amount}, pagamos a ${payee} e avisamos você por e‑mail.`,
    by: {
      ahead: (when) => prose`Se não chegar até ${when}, devolvemos tudo.`,
      over: (when) => prose`Devia chegar até ${when}: devolvemos tudo.`,
    },
    todo: (amount) =>
      `Envie ${amount}, ou peça tudo de volta. Não envie o valor inteiro outra vez.`,
    rest: 'Envie exatamente o que falta',
    referenceAsBefore: 'Referência, a mesma de antes',
    sameAccount: (ending) => `Para a mesma conta, de final ${ending}.`,
    sameAccountPlain: 'Para a mesma conta.',
    showDetails: 'Ver os dados bancários',
    our:
      'Escolha “OUR” para as tarifas: quase sempre foi um banco no caminho que descontou a ' +
      'diferença.',
    back: 'Ou peça tudo de volta',
    backText: (amount) => `Se preferir não pagar, devolvemos ${amount} à conta de origem.`,
    backAsk: (amount) => `Pedir ${amount} de volta`,
    confirm: (amount) => `Receber ${amount} de volta?`,
    confirmLede: (payee) => `Isto encerra o pagamento. ${payee} não recebe.`,
    confirmNext: (amount) =>
      `Devolvemos ${amount} à conta de origem. Os bancos levam até 5 dias úteis.`,
    confirmTodo: 'Não é possível desfazer. Não envie mais dinheiro com estes dados bancários.',
    confirmYes: (amount) => `Sim, devolver ${amount}`,
    confirmNo: 'Não, manter o pagamento',
  },
  arrived: {
    heading: 'Seu dinheiro chegou',
    lede: (amount, payee) => sentence(`Estamos com ${amount} para ${payee}.`),
    surplus: (received, surplus) => `Recebemos ${received}. ${surplus} voltam para você.`,
    next: (payee) => `Pagamos a ${payee} em BRL. O recibo segue por e‑mail.`,
    onItsWay: (payee) => `A caminho de ${payee}`,
    onItsWayLede: 'O valor em BRL está sendo pago por PIX.',
    onItsWayNext: 'O PIX leva minutos, raramente algumas horas. O recibo vem por e‑mail.',
    withPayee: (amount, payee) =>
      sentence(`Seus ${amount} foram convertidos e estão a caminho de ${payee}.`),
  },
  paid: {
    lede: (payee, amount, day) => prose`${payee} recebeu ${amount} em ${day}.`,
    receipt: 'Recibo',
    youPaid: 'Você pagou',
    paidOut: 'Valor pago',
    payer: 'Pagador',
    sentBy: 'Enviado por',
    purpose: 'Finalidade',
    taxId: (id) => `Identificação fiscal ${id}`,
    cnpj: (last4) => `CNPJ com final ${last4}`,
    method: 'Meio de pagamento',
    bankTransfer: (name) =>
      name === null ? 'Transferência bancária' : `Transferência bancária (${name})`,
    reference: 'Referência da transferência',
    partOf: 'Parte de uma só transferência de',
    paidWithIt: (others) => `Ela também pagou ${others}.`,
    receivedAt: 'Transferência recebida',
    paidOutAt: 'Data do pagamento',
    brasilia: (time) => `${time} em Brasília`,
    endToEndId: 'Identificador do PIX (end-to-end)',
    asset: 'Stablecoin vendida',
    transaction: 'Transação',
    notTax: (payee) =>
      sentence(`Este é um recibo, não um documento fiscal. A fatura vem de ${payee}.`),
    returnTo: (host) => `Voltar para ${host}`,
    returning: (host) => `Voltando para ${host} em 10 segundos.`,
    stay: 'Ficar aqui',
  },
  ended: {
    rejected: 'Não podemos aceitar este pagamento',
    failed: 'O pagamento não foi concluído',
    failedMoney: 'Não ficamos com nenhum valor seu.',
    failedTodo: (payee) =>
      `Não envie dinheiro com estes dados bancários. Pergunte a ${payee} como pagar.`,
    review: 'Estamos analisando o seu pagamento',
    reviewLede: (amount) =>
      `Recebemos ${amount} de você. A última etapa não foi confirmada. Nossa equipe está ` +
      'verificando.',
    reviewLedePlain: 'A última etapa não foi confirmada. Nossa equipe está verificando.',
    reviewMoney: (payee) =>
      `Ele chegou até nós. Estamos perguntando ao banco se a última etapa chegou a ${payee}.`,
    reviewMoneyPlain: 'Estamos perguntando ao banco como terminou a última etapa.',
    reviewNext: 'Nossa equipe confirma onde está o dinheiro e depois paga ou devolve o valor.',
    backLede: (payee) => `O pagamento a ${payee} voltou para nós. Nossa equipe está verificando.`,
    backMoney: (payee) => `Ele chegou até nós, mas o pagamento a ${payee} voltou.`,
    backNext: (payee) => `Decidimos com ${payee} o que acontece com o dinheiro.`,
    answerBy: {
      ahead: (day) => prose`Respondemos até ${day}.`,
      over: (day) => prose`Queríamos responder até ${day} e ainda estamos verificando.`,
    },
    reviewMail: 'Avisamos por e‑mail assim que soubermos.',
    unapprovedLede: 'A sua verificação foi retirada, por isso não podemos seguir com o pagamento.',
    unapprovedNext:
      'Nossa equipe verifica. Sem uma nova verificação, o dinheiro que você enviou é devolvido.',
    unapprovedTodo: 'Não envie dinheiro com estes dados bancários.',
    cancelled: (payee) => `${payee} cancelou esta cobrança`,
    expired: 'Esta cobrança não está mais aberta',
    expiredNext: 'Se houver uma transferência a caminho, ela é devolvida.',
    expiredTodo: (payee) => `Se ainda quiser pagar, peça a ${payee} uma nova cobrança.`,
    endedOn: (when) => prose`Foi encerrado em ${when}.`,
  },
  refund: {
    heading: 'Seu dinheiro está sendo devolvido',
    cause: {
      cancelled: 'A cobrança foi cancelada.',
      expired: 'A cobrança já estava encerrada quando a sua transferência chegou.',
      failed: 'Não foi possível concluir o pagamento.',
    },
    money: (amount) => `${amount} estão a caminho de volta para você.`,
    owed: (amount) => `Vamos devolver ${amount} a você.`,
    ordered: (day) => prose`Ordenado em ${day}; os bancos levam até 5 dias úteis.`,
    orderedPlain: 'A devolução foi ordenada; os bancos levam até 5 dias úteis.',
    ordering: 'Estamos ordenando a devolução; depois os bancos levam até 5 dias úteis.',
    sameAccount: 'O valor chega à conta da qual você pagou.',
    done: 'Seu dinheiro foi devolvido',
    doneLede: (amount) => `${amount} voltaram para a conta da qual você pagou.`,
    doneOn: (amount, day) => prose`${amount} voltaram em ${day} para a conta da qual você pagou.`,
    doneTodo: (org) =>
      `Se o seu banco não mostrar o valor em 5 dias úteis, fale com ${org} e informe a referência.`,
    review: 'Precisamos de um momento para devolver o seu dinheiro',
    reviewMoney: (amount) => `Devemos ${amount} a você.`,
    reviewNext:
      'A devolução não foi concluída. Nossa equipe está verificando e entrará em contato.',
  },
} satisfies MoneyCatalogue;
