// Verifies a webhook. Usage: WEBHOOK_SECRET=whsec_… java VerifyWebhook.java HEADER < body

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class VerifyWebhook {
    private static final long TOLERANCE_SECONDS = 300;

    /** The header is X-Service-Signature, the body the raw bytes of the request. */
    static boolean isValid(String secret, String header, byte[] body) throws Exception {
        String sentAt = null;
        List<String> signatures = new ArrayList<>();
        for (String item : header.split(",")) {
            String[] parts = item.trim().split("=", 2);
            String value = parts.length == 2 ? parts[1] : "";
            if (parts[0].equals("t")) {
                if (sentAt != null) return false;
                sentAt = value;
            } else if (parts[0].equals("v1")) {
                signatures.add(value);
            }
        }
        if (sentAt == null || !sentAt.matches("[0-9]{1,15}")) return false;
        long ageSeconds = System.currentTimeMillis() / 1000 - Long.parseLong(sentAt);
        if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        mac.update((sentAt + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = HexFormat.of().formatHex(mac.doFinal(body)).getBytes();
        for (String signature : signatures) {
            if (MessageDigest.isEqual(expected, signature.getBytes())) return true;
        }
        return false;
    }

    public static void main(String[] args) throws Exception {
        byte[] body = System.in.readAllBytes();
        boolean valid = isValid(System.getenv("WEBHOOK_SECRET"), args[0], body);
        System.out.println(valid ? "valid" : "invalid");
    }
}
