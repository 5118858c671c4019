<?php
// From a key to a settled payment. Beside ponte.php: PONTE_URL=… PONTE_KEY=pk_test_… php quickstart.php

require __DIR__ . '/ponte.php';

$ponte = new Ponte\Client(getenv('PONTE_URL'), apiKey: getenv('PONTE_KEY'));

$order = bin2hex(random_bytes(8));
$buyer = new Ponte\BuyerHint(email: 'ana@buyer.example');
$created = $ponte->createPaymentIntent(
    new Ponte\CreatePaymentIntent(externalId: $order, amount: '250.00', buyer: $buyer),
    idempotencyKey: $order,
);
echo "created $created->amount $created->currency\n";

// Test mode plays the buyer and the settlement partner.
$ponte->advanceTestPayment($created->id, []);
foreach ($ponte->events(0) as [$event, $epoch]) {
    $isOurs = ($event->data['paymentIntentId'] ?? null) === $created->id;
    if ($event->event === 'payment_intent.settled' && $isOurs) {
        echo 'settled ', $event->data['externalId'] === $order ? 'True' : 'False', "\n";
        break;
    }
}

$isListed = false;
foreach ($ponte->iteratePayments(limit: 1, status: 'settled') as $payment) {
    $isListed = $isListed || $payment->id === $created->id;
}
echo 'listed ', $isListed ? 'True' : 'False', "\n";

try {
    $ponte->readPayment('pi_unknown');
} catch (Ponte\Refused $refused) {
    echo "refused $refused->error\n";
}
