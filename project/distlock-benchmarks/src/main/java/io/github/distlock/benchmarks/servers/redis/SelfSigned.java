package io.github.distlock.benchmarks.servers.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A key and a certificate for this machine, made for one run.
 *
 * @param certificate its file, PEM
 * @param key its file, PEM
 */
record SelfSigned(Path certificate, Path key) {

	private static final String PASSWORD = "only-for-one-run";

	static SelfSigned create(Path folder) throws IOException {
		Path store = folder.resolve("server.p12");
		keytool(store);
		try (InputStream input = Files.newInputStream(store)) {
			KeyStore keys = KeyStore.getInstance("PKCS12");
			keys.load(input, PASSWORD.toCharArray());
			return new SelfSigned(
					pem(folder.resolve("server.crt"), "CERTIFICATE", keys.getCertificate("server").getEncoded()),
					pem(folder.resolve("server.key"), "PRIVATE KEY",
							keys.getKey("server", PASSWORD.toCharArray()).getEncoded()));
		}
		catch (GeneralSecurityException ex) {
			throw new IOException(ex);
		}
	}

	private static void keytool(Path store) throws IOException {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home", ""), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "server", "-keyalg", "EC", "-groupname", "secp256r1", "-dname",
				"CN=distlock benchmarks", "-ext", "san=ip:127.0.0.1,dns:localhost", "-validity", "30", "-storetype",
				"PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD)
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		try {
			if (process.waitFor() != 0) {
				throw new IOException("keytool: " + output.trim());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	private static Path pem(Path file, String type, byte[] content) throws IOException {
		return Files.writeString(file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(type,
				Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content)));
	}

}
