package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.DistributedLocks;
import io.github.distlock.FencingToken;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers the annotations of the library, which are read by reflection and merged as
 * proxies, the {@code #root} of expressions with the names of its class, and the field
 * that keys are guarded with.
 */
public final class AnnotationHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.proxies().registerJdkProxy(DistributedLock.class);
		hints.reflection()
			.registerType(DistributedLock.class, MemberCategory.INVOKE_DECLARED_METHODS)
			.registerType(DistributedLocks.class, MemberCategory.INVOKE_DECLARED_METHODS)
			.registerType(FencingToken.class, MemberCategory.INVOKE_DECLARED_METHODS)
			.registerType(MethodExpression.Root.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerType(Class.class,
					(type) -> type.withMethod("getName", List.of(), ExecutableMode.INVOKE)
						.withMethod("getSimpleName", List.of(), ExecutableMode.INVOKE))
			.registerField(KeyConverter.CHILDREN);
	}

}
