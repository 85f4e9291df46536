package io.github.distlock.aop;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Turns an annotation into a definition, or says what is wrong with it.
 */
final class LockDefinitionReader {

	/** The registry takes no longer keys. */
	private static final int MAXIMUM_KEY_BYTES = 512;

	private final ConfigurableBeanFactory beanFactory;

	private final Placeholders placeholders;

	private final AopMode mode;

	/** Decides for annotations that name neither a fallback nor a skipped result. */
	private final Supplier<@Nullable LockFailureHandler> failureHandler;

	LockDefinitionReader(ConfigurableBeanFactory beanFactory, Environment environment, AopMode mode,
			Supplier<@Nullable LockFailureHandler> failureHandler) {
		this.failureHandler = failureHandler;
		this.beanFactory = beanFactory;
		this.placeholders = new Placeholders(environment, beanFactory);
		this.mode = mode;
	}

	LockDefinition read(LockAnnotationFinder annotation) {
		LockedMethod where = annotation.where();
		DistributedLock attributes = annotation.attributes();
		LockableSignature.check(where, this.mode);
		ReturnKind result = ReturnKind.of(where);
		LateResult.check(where, annotation.annotated() == null);
		String registry = this.placeholders.resolve("registry", attributes.registry(), where);
		return new LockDefinition(where, result, annotation.annotated() == null, condition(annotation), key(annotation),
				template(attributes, where), withoutLock(attributes, where), registry.trim());
	}

	/**
	 * Find everything that is wrong with an annotation.
	 * @param annotation an annotation that cannot be read
	 * @return the problems, each once
	 */
	List<LockDefinitionException> problems(LockAnnotationFinder annotation) {
		LockedMethod where = annotation.where();
		DistributedLock attributes = annotation.attributes();
		Map<String, LockDefinitionException> problems = new LinkedHashMap<>();
		Stream
			.<Runnable>of(() -> LockableSignature.check(where, this.mode), () -> ReturnKind.of(where),
					() -> LateResult.check(where, annotation.annotated() == null), () -> condition(annotation),
					() -> key(annotation), () -> this.placeholders.resolve("name", attributes.name(), where),
					() -> DurationAttribute
						.waitTime(this.placeholders.resolve("waitTime", attributes.waitTime(), where), where),
					() -> DurationAttribute
						.leaseTime(this.placeholders.resolve("leaseTime", attributes.leaseTime(), where), where),
					() -> template(attributes, where), () -> withoutLock(attributes, where),
					() -> this.placeholders.resolve("registry", attributes.registry(), where))
			.forEach((check) -> {
				try {
					check.run();
				}
				catch (LockDefinitionException ex) {
					problems.putIfAbsent(String.valueOf(ex.getMessage()), ex);
				}
			});
		return List.copyOf(problems.values());
	}

	private LockRequest template(DistributedLock attributes, LockedMethod where) {
		String name = this.placeholders.resolve("name", attributes.name(), where);
		String waitTime = this.placeholders.resolve("waitTime", attributes.waitTime(), where);
		String leaseTime = this.placeholders.resolve("leaseTime", attributes.leaseTime(), where);
		String minHold = this.placeholders.resolve("minHold", attributes.minHold(), where);
		Duration lease = DurationAttribute.leaseTime(leaseTime, where);
		return new LockRequest("", attributes.mode(), DurationAttribute.waitTime(waitTime, where), lease,
				attributes.fair(), name.isBlank() ? where.label() : name,
				DurationAttribute.minHold(minHold, lease, where));
	}

	private FailurePolicy withoutLock(DistributedLock attributes, LockedMethod where) {
		boolean skip = attributes.onFailure() == OnFailure.SKIP;
		String fallback = attributes.fallback().trim();
		if (fallback.isEmpty()) {
			return skip ? SkipPolicy.of(where) : new HandlerPolicy(this.failureHandler, where);
		}
		if (skip) {
			throw where.refuse("fallback", fallback, "stands beside onFailure = SKIP: leave one of them out");
		}
		return FallbackPolicy.of(fallback, where);
	}

	private KeySource key(LockAnnotationFinder annotation) {
		LockedMethod where = annotation.where();
		String written = annotation.attributes().key();
		if (written.isEmpty()) {
			return methodKey(where);
		}
		String text = this.placeholders.resolve("key", written, where);
		if (text.isBlank()) {
			throw where.refuse("key", written, "is blank: write an expression, as in \"'order-' + #id\", or leave the "
					+ "key out to have one lock for the method");
		}
		return new KeyExpression(new WrittenExpression(where, "key", text), parameters(annotation), this.beanFactory);
	}

	private Condition condition(LockAnnotationFinder annotation) {
		LockedMethod where = annotation.where();
		String text = this.placeholders.resolve("condition", annotation.attributes().condition(), where);
		if (text.isBlank()) {
			return Condition.ALWAYS;
		}
		return new ConditionExpression(new WrittenExpression(where, "condition", text), parameters(annotation),
				this.beanFactory);
	}

	/** Who wrote an expression had the names of the annotated method before the eyes. */
	private static ExpressionParameters parameters(LockAnnotationFinder annotation) {
		return new ExpressionParameters(annotation.annotated(), annotation.where().method());
	}

	private static KeySource methodKey(LockedMethod where) {
		if (GeneratedClass.is(where.named().getDeclaringClass())) {
			throw where.refuse("key", "", "stands for the name of a generated class, which differs from JVM to JVM, so "
					+ "that each JVM would have a lock of its own: write a key, as in \"'order-import'\"");
		}
		String key = where.signature();
		if (key.getBytes(StandardCharsets.UTF_8).length > MAXIMUM_KEY_BYTES) {
			throw where.refuse("key", "", "stands for " + key + ", which is longer than the " + MAXIMUM_KEY_BYTES
					+ " bytes that a key can have: write a key, as in \"'order-import'\"");
		}
		return new MethodKey(key);
	}

}
