package io.github.distlock.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.DistributedLock;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotations that apply to a method of a bean class. An annotation on a method
 * takes precedence over one on a class. Of several methods or classes, the one nearest to
 * the bean class takes precedence.
 */
class LockAnnotationFinder {

	/**
	 * Each class is searched once: the pointcut and the verifier need it for each bean.
	 */
	private final Map<Class<?>, Boolean> lockedByClass = new ConcurrentHashMap<>();

	/**
	 * Return the instance of the application. It is registered without a bean definition:
	 * the creation of such a bean would look up the advisor, which needs this instance.
	 */
	static LockAnnotationFinder of(SingletonBeanRegistry beans) {
		String name = LockAnnotationFinder.class.getName();
		if (!beans.containsSingleton(name)) {
			beans.registerSingleton(name, new LockAnnotationFinder());
		}
		return (LockAnnotationFinder) Objects.requireNonNull(beans.getSingleton(name));
	}

	/**
	 * Return whether a class has annotated methods.
	 * @param type the class; may be generated
	 */
	boolean isLocked(Class<?> type) {
		Class<?> beanClass = GeneratedClass.userClass(type);
		Boolean locked = this.lockedByClass.get(beanClass);
		if (locked == null) {
			locked = isOn(beanClass);
			this.lockedByClass.put(beanClass, locked);
		}
		return locked;
	}

	/**
	 * Return whether an annotation applies to any method of a bean class. Searches the
	 * class itself once, and not for each method.
	 * @param beanClass the class, not generated
	 */
	static boolean isOn(Class<?> beanClass) {
		if (!AnnotationUtils.isCandidateClass(beanClass, DistributedLock.class)) {
			return false;
		}
		boolean classAnnotated = !nearest(beanClass).isEmpty();
		return !MethodIntrospector.selectMethods(beanClass, (ReflectionUtils.MethodFilter) (method) -> {
			Method specific = specificMethod(method, beanClass);
			return classAnnotated && isLockedByClass(specific) || !onMethod(specific, beanClass).isEmpty();
		}).isEmpty();
	}

	/**
	 * Find the annotations that apply to a method.
	 * @param method the method that is called; may be an interface method or a bridge
	 * @param type the class of the bean; may be generated
	 * @return the annotations, several if one element has several, or none
	 */
	static List<LockAnnotation> find(Method method, Class<?> type) {
		Class<?> beanClass = GeneratedClass.userClass(type);
		Method specific = specificMethod(method, beanClass);
		List<MergedAnnotation<DistributedLock>> found = onMethod(specific, beanClass);
		boolean onClass = found.isEmpty() && isLockedByClass(specific);
		if (onClass) {
			found = nearest(beanClass);
		}
		LockedMethod lockedMethod = new LockedMethod(beanClass, specific);
		return found.stream()
			.map((annotation) -> new LockAnnotation(lockedMethod, annotation.synthesize(),
					onClass ? null : (Method) annotation.getSource()))
			.toList();
	}

	/** The class of a bean that is itself a proxy has another name in every JVM. */
	private static Method specificMethod(Method method, Class<?> beanClass) {
		return GeneratedClass.isGenerated(beanClass) ? ClassUtils.getInterfaceMethodIfPossible(method, beanClass)
				: AopUtils.getMostSpecificMethod(method, beanClass);
	}

	/**
	 * A class may inherit a method from a superclass that does not implement the
	 * interface. The type hierarchy of that method does not contain the interface.
	 */
	private static List<MergedAnnotation<DistributedLock>> onMethod(Method specific, Class<?> beanClass) {
		List<MergedAnnotation<DistributedLock>> found = nearest(specific);
		if (!found.isEmpty() || !Modifier.isPublic(specific.getModifiers())) {
			return found;
		}
		return ClassUtils.getAllInterfacesForClassAsSet(beanClass)
			.stream()
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((declared) -> declared.getName().equals(specific.getName())
					&& specificMethod(declared, beanClass).equals(specific))
			.map(LockAnnotationFinder::nearest)
			.filter((annotations) -> !annotations.isEmpty())
			.findFirst()
			.orElse(found);
	}

	private static boolean isLockedByClass(Method specific) {
		int modifiers = specific.getModifiers();
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers)
				&& !ReflectionUtils.isObjectMethod(specific);
	}

	/**
	 * Not {@code findMergedAnnotation}: it prefers a direct annotation on a super type to
	 * a composed annotation on the type itself.
	 */
	private static List<MergedAnnotation<DistributedLock>> nearest(AnnotatedElement element) {
		List<MergedAnnotation<DistributedLock>> all = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class)
			.toList();
		int nearest = all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
		return all.stream().filter((annotation) -> annotation.getAggregateIndex() == nearest).toList();
	}

}
