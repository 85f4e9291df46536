package io.github.distlock.backend.redis;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;

import javax.net.ssl.SSLException;

import io.github.distlock.backend.StoreCalls;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.util.StringUtils;

/**
 * The true cause of a failure of Redis. Drivers wrap it several times and in various
 * ways.
 *
 * @param kind the kind of failure
 * @param detail the text of the server, the driver or the network
 */
record RedisFailure(FailureKind kind, String detail) {

	/** Why a command of a store that has been closed fails. */
	static final String STORE_CLOSED = "the lock store is closed";

	/** Sufficient for every driver. A chain of causes may be a cycle. */
	private static final int MAX_CAUSES = 50;

	static RedisFailure of(Throwable failure) {
		List<Throwable> causes = causes(failure);
		for (FailureKind kind : FailureKind.values()) {
			for (Throwable cause : causes) {
				if (kind.matches(cause)) {
					return new RedisFailure(kind, describe(cause));
				}
			}
		}
		return new RedisFailure(FailureKind.OTHER, describe(root(failure)));
	}

	/** Whether the server answered, so that it can be reached and used. */
	boolean isAnswer() {
		return this.kind == FailureKind.RIGHT;
	}

	String explain(RedisServer server) {
		return String.format(this.kind.text, server.name(), this.detail, server.properties(), server.timeoutProperty());
	}

	/**
	 * Return all causes and suppressed exceptions: a cluster driver keeps the causes
	 * there.
	 */
	private static List<Throwable> causes(Throwable failure) {
		Set<Throwable> found = Collections.newSetFromMap(new IdentityHashMap<>());
		List<Throwable> causes = new ArrayList<>();
		Deque<Throwable> open = new ArrayDeque<>(List.of(failure));
		while (!open.isEmpty() && causes.size() < MAX_CAUSES) {
			// The wrappers of futures only repeat the text of their cause.
			Throwable next = StoreCalls.unwrap(open.poll());
			if (found.add(next)) {
				causes.add(next);
				if (next.getCause() != null) {
					open.add(next.getCause());
				}
				open.addAll(List.of(next.getSuppressed()));
			}
		}
		return causes;
	}

	private static Throwable root(Throwable failure) {
		Throwable root = failure;
		for (int i = 0; i < MAX_CAUSES && root.getCause() != null; i++) {
			root = root.getCause();
		}
		return root;
	}

	private static String describe(Throwable cause) {
		String message = cause.getMessage();
		if (!StringUtils.hasText(message)) {
			return cause.getClass().getSimpleName();
		}
		// The message of this exception is only the host name.
		return (cause instanceof UnknownHostException) ? cause.getClass().getSimpleName() + ": " + message : message;
	}

	/**
	 * Kinds of failures, the most specific first. The arguments of the texts are the
	 * server, the detail, the properties of the connection and the property of the
	 * time-out.
	 */
	enum FailureKind {

		CLOSED("%s is not used any more (%s): locks work from the start of the application context until its shutdown",
				List.of(STORE_CLOSED)),

		CREDENTIALS("%s refuses the credentials (%s). Check user name and password in %s",
				List.of("WRONGPASS", "NOAUTH", "invalid password", "invalid username-password pair",
						"AUTH <password> called without any password", "ERR AUTH")),

		RIGHT("%s refuses a command for lack of rights (%s). Grant what is missing to its user: docs/redis-operations.md"
				+ " has all rights that locks need", List.of("NOPERM")),

		REPLICA("%s takes no writes (%s). Connect to a master that accepts them, see %s",
				List.of("READONLY", "NOREPLICAS", "MISCONF")),

		MEMORY("%s has no memory left (%s). Raise its maxmemory, or remove data from it", List.of("OOM command")),

		LOADING("%s is not ready yet (%s). Wait until it has loaded its data", List.of("LOADING", "MASTERDOWN")),

		CLUSTER("%s cannot serve the key now (%s). Check that all slots of the cluster have a master",
				List.of("CLUSTERDOWN", "TRYAGAIN")),

		HOST("The host name of %s cannot be resolved (%s). Check the host in %s, and the name service", List.of(),
				List.of(UnknownHostException.class)),

		ENCRYPTION("The encrypted connection to %s cannot be made (%s). Check whether the server uses TLS, the"
				+ " certificates, and ssl in %s", List.of(), List.of(SSLException.class)),

		CONNECTION("%s does not accept connections (%s). Check that it runs at this address, and the address in %s",
				List.of(), List.of(ConnectException.class, NoRouteToHostException.class)),

		DISCONNECTED("There is no connection to %s now (%s), and it is made again in the background. Check that the"
				+ " server runs, can be reached at this address, and expects TLS if and only if the client uses it,"
				+ " see %s", List.of("not connected", "Connection closed", "Connection is closed", "Connection reset")),

		/**
		 * A server without TLS waits for more after the first message of a client with
		 * TLS.
		 */
		GREETING(
				"%s accepts the connection and does not answer (%s). Check that it expects TLS if and only if the client"
						+ " uses it (ssl in %s, rediss://), and that it is not overloaded or paused",
				List.of("initialization timed out")),

		TIMEOUT("%1$s did not answer in time (%2$s). Check that it is not overloaded or paused and that the network"
				+ " does not lose its packets, or raise %4$s", List.of("timed out"),
				List.of(TimeoutException.class, QueryTimeoutException.class)),

		OTHER("%s failed (%s). Check that the server runs and can be reached, see %s", List.of());

		private final String text;

		private final List<String> words;

		private final List<Class<? extends Throwable>> types;

		FailureKind(String text, List<String> words) {
			this(text, words, List.of());
		}

		FailureKind(String text, List<String> words, List<Class<? extends Throwable>> types) {
			this.text = text;
			this.words = words;
			this.types = types;
		}

		private boolean matches(Throwable cause) {
			String message = String.valueOf(cause.getMessage());
			return this.types.stream().anyMatch((type) -> type.isInstance(cause))
					|| this.words.stream().anyMatch(message::contains);
		}

	}

}
