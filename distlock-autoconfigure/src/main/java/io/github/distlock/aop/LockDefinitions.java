package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import io.github.distlock.aop.LockAnnotationFinder.LockAnnotation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Finds the annotations of methods, reads and checks them, and caches the result. All
 * errors that can be found at start-up are found here.
 */
final class LockDefinitions {

	private static final String MAX_WAITING = "is not a number of callers from 1 to 999999999: write one, or "
			+ "waitTime = \"0\" to let no call wait; \"\" takes distlock.max-waiting. A number that differs from call to "
			+ "call needs LockRequest.maxWaiting(n)";

	private static final String PERMITS = "is not a number of callers from 1 to " + LockRequest.MAXIMUM_PERMITS
			+ ": write one, or leave permits out. A number that differs from call to call needs"
			+ " LockRequest.permits(n)";

	private final Map<MethodClassKey, Optional<MethodLocks>> cached = new ConcurrentHashMap<>();

	/** The first bean class of each lock without a key, by registry and method. */
	private final Map<String, Class<?>> keyless = new ConcurrentHashMap<>();

	private final ConfigurableBeanFactory beanFactory;

	private final AopMode mode;

	private final LockEnvironment environment;

	private final RegistryResolver registries;

	private final TransactionalCalls transactions;

	LockDefinitions(ConfigurableBeanFactory beanFactory, AopMode mode, LockEnvironment environment,
			RegistryResolver registries) {
		this.beanFactory = beanFactory;
		this.mode = mode;
		this.environment = environment;
		this.registries = registries;
		this.transactions = new TransactionalCalls(environment.onActiveTransaction());
	}

	/**
	 * Find the definitions of a method.
	 * @param method the method that is called
	 * @param type the class of the object that is called
	 * @return the definitions, empty if no annotation applies to the method
	 * @throws io.github.distlock.LockDefinitionException if an annotation is invalid
	 */
	Optional<MethodLocks> find(Method method, Class<?> type) {
		MethodClassKey key = new MethodClassKey(method, type);
		Optional<MethodLocks> locks = this.cached.get(key);
		if (locks == null) {
			locks = read(LockAnnotationFinder.find(method, type));
			this.cached.put(key, locks);
		}
		return locks;
	}

	TransactionalCalls transactions() {
		return this.transactions;
	}

	/** Return the definitions of the methods that have been read. */
	List<LockDefinition> known() {
		return this.cached.values()
			.stream()
			.flatMap(Optional::stream)
			.flatMap((locks) -> locks.locks().stream())
			.toList();
	}

	private Optional<MethodLocks> read(List<LockAnnotation> annotations) {
		return annotations.isEmpty() ? Optional.empty() : Optional.of(MethodLocks.of(annotations.get(0).method(),
				annotations.stream().map(this::read).toList(), this.environment, this.registries, this.transactions));
	}

	private LockDefinition read(LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		DistributedLock attributes = annotation.attributes();
		checkReach(method);
		return new LockDefinition(method, condition(annotation), key(annotation), template(attributes, method),
				failurePolicy(attributes, method), resolve("registry", attributes.registry(), method));
	}

	private LockRequest template(DistributedLock attributes, LockedMethod method) {
		String name = resolve("name", attributes.name(), method);
		Duration waitTime = waitTime(attributes, method);
		Duration leaseTime = duration("leaseTime", attributes.leaseTime(), method);
		Duration minHold = duration("minHold", attributes.minHold(), method);
		Integer maxWaiting = number("maxWaiting", attributes.maxWaiting(), MAX_WAITING, method);
		Integer permits = number("permits", attributes.permits(), PERMITS, method);
		try {
			LockRequest request = new LockRequest(method.signature(), attributes.mode(), waitTime, leaseTime,
					attributes.fair(), null, minHold, maxWaiting, null, false)
				.name(name.isEmpty() ? method.label() : name);
			return (permits != null) ? request.permits(permits) : request;
		}
		catch (LockDefinitionException ex) {
			throw method.refuse("has attributes that do not fit. " + ex.getMessage());
		}
	}

	private @Nullable Duration waitTime(DistributedLock attributes, LockedMethod method) {
		String text = resolve("waitTime", attributes.waitTime(), method);
		Duration waitTime = text.equals("-1") ? LockRequest.FOREVER : duration("waitTime", text, method);
		if (waitTime != null && waitTime.isNegative() && waitTime != LockRequest.FOREVER) {
			throw method.refuse("waitTime", text,
					"is negative: write \"-1\" to wait without a limit, \"0\" to try once, "
							+ "or a duration such as \"2s\"");
		}
		return waitTime;
	}

	/**
	 * Parse a duration. A number without a unit is refused: some readers would take it
	 * for milliseconds, others for seconds.
	 */
	private @Nullable Duration duration(String attribute, String written, LockedMethod method) {
		String text = resolve(attribute, written, method);
		if (text.isEmpty() || text.equals("0")) {
			return text.isEmpty() ? null : Duration.ZERO;
		}
		String remedy = "write a number and a unit without a space, such as \"500ms\", \"2s\", \"1m\" or \"PT2S\"";
		if (text.matches("[+-]?\\d+")) {
			throw method.refuse(attribute, text, "has no unit: " + remedy);
		}
		try {
			return DurationFormatterUtils.detectAndParse(text);
		}
		catch (IllegalArgumentException ex) {
			throw method.refuse(attribute, text, "is not a duration, or is too long: " + remedy
					+ ". A duration that differs from call to call needs LockRequest." + attribute + "(duration)", ex);
		}
	}

	private @Nullable Integer number(String attribute, String written, String remedy, LockedMethod method) {
		String value = resolve(attribute, written, method);
		if (!value.matches("|0*[1-9]\\d{0,8}")) {
			throw method.refuse(attribute, value, remedy);
		}
		return value.isEmpty() ? null : Integer.valueOf(value);
	}

	private FailurePolicy failurePolicy(DistributedLock attributes, LockedMethod method) {
		boolean skip = attributes.onFailure() == OnFailure.SKIP;
		String fallback = attributes.fallback().trim();
		if (fallback.isEmpty()) {
			return skip ? SkipPolicy.of(method) : FailurePolicy.of(this.environment.failureHandler());
		}
		if (skip) {
			throw method.refuse("fallback", fallback, "cannot be combined with onFailure = SKIP: remove one of them");
		}
		return FallbackPolicy.of(fallback, method);
	}

	private @Nullable KeyExpression key(LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		String written = annotation.attributes().key();
		if (written.isEmpty()) {
			if (LockedMethod.isGenerated(method.method().getDeclaringClass())) {
				throw method.refuse("key", "", "means the name of a generated class, which differs from JVM to JVM, so "
						+ "that each JVM would have its own lock: write a key, as in \"'order-import'\"");
			}
			Class<?> first = this.keyless.putIfAbsent(annotation.attributes().registry() + "|" + method.signature(),
					method.beanClass());
			if (first != null && first != method.beanClass()) {
				throw method.refuse("has no key, so that it would share the lock '" + method.signature()
						+ "' with beans of " + first.getName() + ". Write a key: \"#root.targetClass.name + '#"
						+ method.method().getName() + "'\" for a lock of each class, or \"'" + method.label()
						+ "'\" for one lock");
			}
			return null;
		}
		String text = resolve("key", written, method);
		if (text.isEmpty()) {
			throw method.refuse("key", written, "is blank: write an expression, as in \"'order-' + #id\", or leave the "
					+ "key out to use one lock for the method");
		}
		return new KeyExpression(expression(annotation, "key", text));
	}

	private @Nullable MethodExpression condition(LockAnnotation annotation) {
		String text = resolve("condition", annotation.attributes().condition(), annotation.method());
		return text.isEmpty() ? null : expression(annotation, "condition", text);
	}

	private MethodExpression expression(LockAnnotation annotation, String attribute, String text) {
		return new MethodExpression(annotation.method(), attribute, text, annotation.annotated(), this.beanFactory);
	}

	/** No proxy intercepts a static or private method. */
	private void checkReach(LockedMethod method) {
		if (this.mode != AopMode.PROXY) {
			if (method.isSuspending()) {
				throw method.refuse("is on a suspending function, which a woven class cannot lock: set "
						+ "distlock.aop.mode to proxy");
			}
			return;
		}
		int modifiers = method.method().getModifiers();
		if (Modifier.isStatic(modifiers) || Modifier.isPrivate(modifiers)) {
			throw method.refuse("is on a " + (Modifier.isStatic(modifiers) ? "static" : "private")
					+ " method: a call of it passes no proxy and would not be locked. Make it a public instance method "
					+ "and call it from another bean, or set distlock.aop.mode to aspectj");
		}
	}

	/** Resolve placeholders, as in {@code @Value}: unknown ones fail the start. */
	private String resolve(String attribute, String value, LockedMethod method) {
		try {
			return Objects.requireNonNullElse(this.beanFactory.resolveEmbeddedValue(value), "").trim();
		}
		catch (IllegalArgumentException ex) {
			throw method.refuse(attribute, value, "has a placeholder without a value (" + ex.getMessage()
					+ "): set the property, or write a default after a colon, as in \"${name:5s}\"", ex);
		}
	}

}
