package io.github.distlock.autoconfigure;

import java.util.List;

import io.github.distlock.actuate.DistlocksPage;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * Registers what an application accesses by name: the Lua and SQL scripts, virtual
 * threads, which Java 17 does not have, the field of Lettuce's connection factory from
 * which dedicated connections are configured, Spring's search for a transaction manager,
 * and the classes that tell whether a library is present. Without the last, an image
 * would behave as if there were no transactions.
 */
class NativeHints implements RuntimeHintsRegistrar {

	/** One class of each library whose presence is tested at run time. */
	static final List<String> TESTED_FOR_PRESENCE = List.of("com.zaxxer.hikari.HikariDataSource",
			"io.micrometer.context.ContextSnapshotFactory", "jakarta.validation.Validator", "jdk.jfr.Event",
			"kotlin.reflect.full.KClasses", "kotlinx.coroutines.reactor.MonoKt", "org.aspectj.lang.ProceedingJoinPoint",
			"org.hibernate.Session", "org.postgresql.PGConnection", "org.springframework.orm.jpa.EntityManagerHolder",
			"org.springframework.jdbc.datasource.ConnectionHolder",
			"org.springframework.transaction.reactive.TransactionSynchronizationManager",
			"org.springframework.transaction.support.TransactionSynchronizationManager", "reactor.core.publisher.Flux",
			"redis.clients.jedis.RedisClient", "io.netty.channel.EventLoop",
			"io.netty.util.concurrent.FastThreadLocalThread",
			"io.reactivex.rxjava3.internal.schedulers.NonBlockingThread", "org.reactivestreams.Publisher");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		TESTED_FOR_PRESENCE.forEach((name) -> hints.reflection().registerTypeIfPresent(classLoader, name));
		for (Backend backend : Backend.values()) {
			hints.reflection().registerTypeIfPresent(classLoader, backend.neededClass());
		}
		hints.resources()
			.registerPattern("io/github/distlock/backend/redis/*.lua")
			.registerPattern("io/github/distlock/backend/jdbc/*.sql")
			.registerPattern("io/github/distlock/backend/jdbc/sql/*.sql")
			.registerPattern("io/github/distlock/transaction/*.sql")
			.registerPattern(DistlocksPage.FILE);
		hints.proxies().registerJdkProxy(Log.class);
		hints.reflection()
			.registerTypeIfPresent(classLoader,
					"org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
					(type) -> type.withField("configuration"))
			.registerTypeIfPresent(classLoader, "org.springframework.transaction.interceptor.TransactionAspectSupport",
					MemberCategory.INVOKE_DECLARED_METHODS)
			.registerTypeIfPresent(classLoader, "io.netty.util.internal.ThreadExecutorMap",
					(type) -> type.withMethod("currentExecutor", List.of(), ExecutableMode.INVOKE))
			.registerTypeIfPresent(classLoader, "redis.clients.jedis.UnifiedJedis",
					(type) -> type.withField("provider"))
			.registerType(Log.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerType(RedlockStoreProperties.Node.class,
					(type) -> type.withMethod("valueOf", TypeReference.listOf(String.class), ExecutableMode.INVOKE))
			.registerType(Thread.class,
					(type) -> type.withMethod("ofVirtual", List.of(), ExecutableMode.INVOKE)
						.withMethod("isVirtual", List.of(), ExecutableMode.INVOKE))
			.registerType(TypeReference.of("java.lang.Thread$Builder"),
					(type) -> type
						.withMethod("inheritInheritableThreadLocals", TypeReference.listOf(boolean.class),
								ExecutableMode.INVOKE)
						.withMethod("factory", List.of(), ExecutableMode.INVOKE));
	}

}
