package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.springframework.core.MethodClassKey;

/**
 * Finds and caches the definitions of methods.
 */
final class LockDefinitions {

	private final Map<MethodClassKey, Optional<MethodLocks>> cached = new ConcurrentHashMap<>();

	private final LockDefinitionReader reader;

	private final Supplier<Duration> waitTime;

	private final CallObservations observations;

	LockDefinitions(LockDefinitionReader reader, Supplier<Duration> waitTime, CallObservations observations) {
		this.reader = reader;
		this.waitTime = waitTime;
		this.observations = observations;
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

	private Optional<MethodLocks> read(List<LockAnnotation> annotations) {
		if (annotations.isEmpty()) {
			return Optional.empty();
		}
		LockedMethod method = annotations.get(0).method();
		List<LockDefinition> definitions = annotations.stream().map(this.reader::read).toList();
		return Optional.of(new MethodLocks(definitions, ReturnKind.of(method),
				FencingTokenParameter.check(method, definitions.size()), this.waitTime, this.observations));
	}

	/** Return the definitions of the methods that have been read. */
	List<LockDefinition> known() {
		return this.cached.values()
			.stream()
			.flatMap(Optional::stream)
			.flatMap((locks) -> locks.locks().stream())
			.toList();
	}

}
