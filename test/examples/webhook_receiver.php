<?php
// A receiver. Beside ponte.php: WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:3000 webhook_receiver.php

require __DIR__ . '/ponte.php';

try {
    $body = file_get_contents('php://input');
    $webhook = Ponte\verifyWebhook(getenv('WEBHOOK_SECRET'), getallheaders(), $body);
    // A real receiver drops an X-Service-Delivery-Id that it has stored before.
    file_put_contents('php://stdout', $webhook['event'] . "\n");
    http_response_code(204);
} catch (Ponte\InvalidWebhook) {
    http_response_code(400);
}
