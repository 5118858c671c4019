<?php
// Verifies a webhook. Usage: WEBHOOK_SECRET=whsec_… php verify_webhook.php HEADER < body

const TOLERANCE_SECONDS = 300;

/** $header is X-Service-Signature, $body the raw bytes of the request. */
function is_valid(string $secret, string $header, string $body): bool
{
    $time = null;
    $signatures = [];
    foreach (explode(',', $header) as $item) {
        [$name, $value] = explode('=', trim($item), 2) + [1 => ''];
        if ($name === 't') {
            if ($time !== null) return false;
            $time = $value;
        } elseif ($name === 'v1') {
            $signatures[] = $value;
        }
    }
    if ($time === null || !ctype_digit($time)) return false;
    if (abs(time() - (int) $time) > TOLERANCE_SECONDS) return false;
    $expected = hash_hmac('sha256', "$time.$body", $secret);
    foreach ($signatures as $signature) {
        if (hash_equals($expected, $signature)) return true;
    }
    return false;
}

$valid = is_valid(getenv('WEBHOOK_SECRET'), $argv[1], file_get_contents('php://stdin'));
echo $valid ? "valid\n" : "invalid\n";
