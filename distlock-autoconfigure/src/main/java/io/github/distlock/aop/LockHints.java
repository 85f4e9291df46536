package io.github.distlock.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.distlock.DistributedLock;
import io.github.distlock.DistributedLocks;
import io.github.distlock.FencingToken;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.util.ClassUtils;

/**
 * Registers what a native image must keep of the annotations of the library, and of each
 * bean with locked methods: its types, in which the annotations are found, the locked
 * methods and their fallbacks, which are invoked by reflection. Without the types, the
 * methods of the image would run without a lock. The types that key expressions read are
 * registered by the application.
 * <p>
 * The class of a bean has to be known at build time. If a bean method declares an
 * interface, only the methods of the interface are known.
 */
public final class LockHints implements RuntimeHintsRegistrar, BeanRegistrationAotProcessor {

	/**
	 * Register the annotations of the library, which are read by reflection and merged as
	 * proxies, the {@code #root} of expressions with the names of its class, and the
	 * field that keys are guarded with.
	 */
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
			.registerField(KeyConverter.children(SpelNodeImpl.class));
	}

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> beanClass = ClassUtils.getUserClass(bean.getBeanClass());
		if (LockAnnotationFinder.search(beanClass).isEmpty()) {
			return null;
		}
		return (generation, code) -> register(beanClass, generation.getRuntimeHints().reflection());
	}

	private static void register(Class<?> beanClass, ReflectionHints hints) {
		for (Class<?> type : hierarchy(beanClass)) {
			hints.registerType(type);
			registerAnnotations(type, hints);
			for (Method method : type.getDeclaredMethods()) {
				hints.registerMethod(method, ExecutableMode.INVOKE);
				registerAnnotations(method, hints);
			}
		}
	}

	/** The class and its super types, without those of the JDK. */
	private static Set<Class<?>> hierarchy(Class<?> beanClass) {
		Set<Class<?>> types = new LinkedHashSet<>();
		for (Class<?> type = beanClass; type != null; type = type.getSuperclass()) {
			types.add(type);
		}
		types.addAll(ClassUtils.getAllInterfacesForClassAsSet(beanClass));
		types.removeIf((type) -> type.getName().startsWith("java."));
		return types;
	}

	/** The attributes of an annotation are read by reflection. */
	private static void registerAnnotations(AnnotatedElement element, ReflectionHints hints) {
		MergedAnnotations.from(element, SearchStrategy.DIRECT).stream(DistributedLock.class).forEach((found) -> {
			for (MergedAnnotation<? extends Annotation> next = found; next != null; next = next.getMetaSource()) {
				hints.registerType(next.getType(), MemberCategory.INVOKE_DECLARED_METHODS);
			}
		});
	}

}
