package io.github.distlock.backend.redis;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.ClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.SentinelConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.StaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithDomainSocket;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.util.StringUtils;

/**
 * A Redis server, as messages name it, and the causes and remedies of its failures.
 *
 * @param name the kind of server and its address, without credentials
 * @param properties the properties of the connection
 * @param timeoutProperty the property of the command time-out
 */
public record RedisServer(String name, String properties, String timeoutProperty) {

	private static final Log logger = LockLog.of(RedisServer.class);

	private static final Pattern EVICTION_POLICY = Pattern.compile("maxmemory_policy:(\\S+)");

	/** Sufficient for every driver. */
	private static final int MAX_CAUSES = 50;

	/** Initialized at the start: the first failure may be a lack of memory. */
	private static final List<FailureKind> KINDS = List.of(FailureKind.values());

	/** The code at the beginning of an error that a server answers. */
	private static final Pattern ERROR_REPLY = Pattern.compile("[A-Z]{3,} ");

	/**
	 * Return the server to which the connection factory of the application leads. Two
	 * with the same name have the same locks.
	 */
	static RedisServer of(ApplicationConnections application) {
		int database = RedisConfiguration.getDatabaseOrElse(application.server(), () -> 0);
		return new RedisServer(address(application) + ((database != 0) ? ", database " + database : ""),
				"spring.data.redis.*", "distlock.redis.command-timeout");
	}

	/**
	 * Return one node of a Redlock store.
	 * @param address host and port
	 * @return the server
	 */
	static RedisServer node(String address) {
		return new RedisServer("Redis node " + address, "distlock.redlock.nodes", "distlock.redlock.node-timeout");
	}

	private static String address(ApplicationConnections application) {
		RedisConfiguration server = application.server();
		if (server instanceof ClusterConfiguration cluster) {
			return "Redis cluster at " + addresses(cluster.getClusterNodes().stream());
		}
		if (server instanceof SentinelConfiguration sentinel) {
			return "Redis master '" + sentinel.getMaster() + "' known to the sentinels at "
					+ addresses(sentinel.getSentinels().stream());
		}
		if (server instanceof StaticMasterReplicaConfiguration nodes) {
			return "Redis master among " + addresses(
					nodes.getNodes().stream().map((node) -> new RedisNode(node.getHostName(), node.getPort())));
		}
		if (server instanceof WithDomainSocket socket) {
			return "Redis at socket " + socket.getSocket();
		}
		return (server instanceof WithHostAndPort one) ? "Redis at " + one.getHostName() + ":" + one.getPort()
				: "Redis behind the " + AopUtils.getTargetClass(application.factory()).getSimpleName();
	}

	private static String addresses(Stream<RedisNode> nodes) {
		return nodes.map(RedisNode::asString).sorted().collect(Collectors.joining(", "));
	}

	/** Describe the true cause of a failure and its remedy, in two sentences. */
	String explain(Throwable failure) {
		List<Throwable> causes = causes(failure);
		for (FailureKind kind : KINDS) {
			for (Throwable cause : causes) {
				if (kind.matches(cause)) {
					return text(kind, cause);
				}
			}
		}
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		boolean answered = ERROR_REPLY.matcher(String.valueOf(cause.getMessage())).lookingAt();
		return text(answered ? FailureKind.REFUSED : FailureKind.OTHER, cause);
	}

	private String text(FailureKind kind, Throwable cause) {
		String message = cause.getMessage();
		String type = cause.getClass().getSimpleName();
		// The message of this exception is only the host name.
		String detail = !StringUtils.hasText(message) ? type
				: (cause instanceof UnknownHostException) ? type + ": " + message : StoreCalls.oneLine(message);
		return String.format(kind.text, this.name, detail, this.properties, this.timeoutProperty);
	}

	/**
	 * Warn of a server that removes keys to make room. Locks would be among the first to
	 * go, since such a server prefers keys that expire soon. In a cluster any node is
	 * asked.
	 * @param memory what the server says of its memory
	 */
	static void checkEviction(String memory) {
		Matcher policy = EVICTION_POLICY.matcher(memory);
		if (policy.find() && !policy.group(1).equals("noeviction") && !memory.contains("maxmemory:0\r")) {
			logger.warn("Redis removes keys when its memory is full (maxmemory-policy " + policy.group(1)
					+ "), including locks, so two callers could hold one lock: set maxmemory-policy noeviction, or name"
					+ " a @Bean(defaultCandidate = false) of another Redis in distlock.redis.connection-factory");
		}
	}

	/**
	 * Check the answer of the script that tries all rights.
	 * @param answer lines of a command and an error
	 * @throws LockBackendException if a right is missing, or the server takes no writes
	 */
	void checkRights(String answer) {
		// Each error once. Redis 6.2 ends some errors with an empty line.
		Map<String, Set<String>> commands = answer.lines()
			.map((line) -> line.split(": ", 2))
			.filter((line) -> line.length == 2)
			.collect(Collectors.groupingBy((line) -> line[1], LinkedHashMap::new,
					Collectors.mapping((line) -> line[0], Collectors.toCollection(LinkedHashSet::new))));
		Throwable refusals = new IllegalStateException(commands.entrySet()
			.stream()
			.map((each) -> String.join(", ", each.getValue()) + ": " + each.getKey())
			.collect(Collectors.joining("; ")));
		if (FailureKind.REFUSALS.stream().anyMatch((kind) -> kind.matches(refusals))) {
			throw new LockBackendException(explain(refusals) + ". The test of the lock store failed");
		}
	}

	/**
	 * Whether the server has answered with an error, and of no known kind: it may concern
	 * one key only.
	 */
	static boolean isRefusal(Throwable failure) {
		return causes(failure).stream()
			.anyMatch((cause) -> ERROR_REPLY.matcher(String.valueOf(cause.getMessage())).lookingAt())
				&& KINDS.stream().noneMatch((kind) -> kind.isIn(failure));
	}

	/** Whether the message of an exception or of one of its causes contains a text. */
	static boolean says(Throwable failure, String text) {
		return causes(failure).stream().anyMatch((cause) -> String.valueOf(cause.getMessage()).contains(text));
	}

	/**
	 * Return a failure with its causes and what they suppressed: drivers wrap a failure
	 * several times, and a cluster driver keeps the causes there.
	 */
	private static List<Throwable> causes(Throwable failure) {
		List<Throwable> causes = new ArrayList<>();
		// The wrappers of futures only repeat the text of their cause.
		causes.add(StoreCalls.unwrap(failure));
		for (int i = 0; i < causes.size() && causes.size() < MAX_CAUSES; i++) {
			Throwable cause = causes.get(i).getCause();
			if (cause != null) {
				causes.add(StoreCalls.unwrap(cause));
			}
			causes.addAll(List.of(causes.get(i).getSuppressed()));
		}
		return causes;
	}

	/**
	 * Kinds of failures, the most specific first. The arguments of the texts are the
	 * server, the detail, the properties of the connection and the property of the
	 * time-out.
	 */
	enum FailureKind {

		CREDENTIALS("%s refuses the credentials (%s). Check user name and password in %s",
				List.of("WRONGPASS", "NOAUTH", "invalid password", "invalid username-password pair",
						"AUTH <password> called without any password", "ERR AUTH")),

		/** The words in the errors of a script differ between Redis 6.2 and Redis 7. */
		RIGHT("%s refuses a command for lack of rights (%s). Grant what is missing to its user: " + StoreCalls.DOCS
				+ "redis-operations.md#acl has all rights that locks need",
				List.of("NOPERM", "ACL failure", "The user executing the script")),

		REPLICA("%s takes no writes (%s). Connect to a master that accepts them, see %s", List.of("READONLY")),

		NO_REPLICAS("%s takes no writes, since too few replicas follow it (%s). Start the replicas, or lower its"
				+ " min-replicas-to-write", List.of("NOREPLICAS")),

		NOT_SAVED("%s takes no writes, since it could not save its data (%s). Its log says why: often its disk is full",
				List.of("MISCONF")),

		MEMORY("%s has no memory for new keys (%s). Raise its maxmemory, or remove data",
				List.of("OOM command not allowed")),

		STARTING("%s is not ready (%s). Wait until it has its data", List.of("LOADING", "MASTERDOWN")),

		CLIENTS("%s accepts no more connections (%s). Raise its maxclients, or make the pools of the applications"
				+ " smaller", List.of("max number of clients")),

		NO_CLUSTER("%s is no cluster (%s). Set spring.data.redis.host in place of spring.data.redis.cluster.nodes",
				List.of("cluster support disabled")),

		NO_SLOT("%s has no master for a part of its slots (%s). Look at CLUSTER INFO: start the masters that are down,"
				+ " or assign the slots", List.of("CLUSTERDOWN", "Cannot determine a partition")),

		/** Whatever a cluster driver answers after its last redirection. */
		SLOT_MOVES(
				"%s is moving the slot of a lock (%s). After MOVED or ASK, grant its user the right +asking on every node: "
						+ StoreCalls.DOCS + "redis-operations.md#acl. After TRYAGAIN, wait until the move has ended",
				List.of("MOVED ", "ASK ", "TRYAGAIN")),

		ENCRYPTION("The encrypted connection to %s cannot be made (%s). Check whether the server uses TLS, the"
				+ " certificates, and ssl in %s", List.of(), SSLException.class),

		CONNECTION("%s does not accept connections (%s). Check that it runs at this address, and the address in %s",
				List.of(), ConnectException.class, NoRouteToHostException.class, UnknownHostException.class),

		SENTINEL(
				"%s cannot be found (%s). Check that spring.data.redis.sentinel.nodes names sentinels, which have port"
						+ " 26379 by default, and that spring.data.redis.sentinel.master is what they call the master",
				List.of("using sentinel", "SENTINEL MASTER", "command `SENTINEL`", "command 'SENTINEL'")),

		NO_COMMAND(
				"%s does not know a command that locks need (%s). Check that it is no sentinel and that no command is"
						+ " renamed or disabled, see %s",
				List.of("unknown command")),

		DISCONNECTED("There is no connection to %s now (%s), and it is made again in the background. Check that the"
				+ " server runs, can be reached at this address, knows the user, and expects TLS if and only if the client"
				+ " uses it, see %s",
				List.of("not connected", "Connection closed", "Connection is closed", "Connection reset")),

		/**
		 * A server without TLS waits for more after the first message of a client with
		 * TLS.
		 */
		TIMEOUT("%s did not answer in time (%s). Check that it expects TLS if and only if the client uses it (ssl in %s,"
				+ " rediss://), that it is not overloaded or paused and that the network does not lose its packets, or"
				+ " raise %s", List.of("timed out"), TimeoutException.class, QueryTimeoutException.class),

		/** Found by the form of its message. */
		REFUSED("%s refuses a command (%s). Correct what the server names", List.of()),

		OTHER("%s failed (%s). Check that the server runs and can be reached, see %s", List.of());

		/** Those that the script that tries all rights can meet. */
		static final Set<FailureKind> REFUSALS = EnumSet.of(RIGHT, REPLICA, NO_REPLICAS, NOT_SAVED, MEMORY);

		private final String text;

		private final List<String> words;

		private final List<Class<?>> types;

		FailureKind(String text, List<String> words, Class<?>... types) {
			this.text = text;
			this.words = words;
			this.types = List.of(types);
		}

		/** Whether a failure, or one of its causes, is of this kind. */
		boolean isIn(Throwable failure) {
			return causes(failure).stream().anyMatch(this::matches);
		}

		private boolean matches(Throwable cause) {
			String message = String.valueOf(cause.getMessage());
			return this.types.stream().anyMatch((type) -> type.isInstance(cause))
					|| this.words.stream().anyMatch(message::contains);
		}

	}

}
