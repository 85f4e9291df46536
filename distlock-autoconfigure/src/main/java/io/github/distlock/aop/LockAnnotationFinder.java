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
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
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
	 * One annotation of each locked method. Each class is searched once: the pointcut and
	 * the verifier need it for each bean.
	 */
	private final Map<Class<?>, List<LockAnnotation>> locksByClass = new ConcurrentHashMap<>();

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
	 * Return the locked methods of a class.
	 * @param type the class; may be generated
	 * @return one annotation of each method
	 */
	List<LockAnnotation> locks(Class<?> type) {
		List<LockAnnotation> locks = this.locksByClass.get(type);
		if (locks == null) {
			locks = search(LockedMethod.userClass(type));
			this.locksByClass.put(type, locks);
		}
		return locks;
	}

	/**
	 * Find one annotation of each locked method. Searches the class itself once, and not
	 * for each method.
	 * @param beanClass the class, not generated
	 */
	static List<LockAnnotation> search(Class<?> beanClass) {
		if (!hasAnnotation(beanClass)) {
			return List.of();
		}
		List<MergedAnnotation<DistributedLock>> onClass = nearest(beanClass);
		MetadataLookup<LockAnnotation> first = (
				method) -> find(method, beanClass, onClass).stream().findFirst().orElse(null);
		return List.copyOf(MethodIntrospector.selectMethods(beanClass, first).values());
	}

	/**
	 * Whether the annotation is on a type, on one that it extends or implements, or on a
	 * method of one of them. Of most beans it is on none, and a search of the hierarchy
	 * of each method costs ten times as much.
	 */
	private static boolean hasAnnotation(@Nullable Class<?> type) {
		if (type == null || !AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return false;
		}
		if (isAnnotated(type) || hasAnnotation(type.getSuperclass())) {
			return true;
		}
		for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
			if (isAnnotated(method)) {
				return true;
			}
		}
		return Arrays.stream(type.getInterfaces()).anyMatch(LockAnnotationFinder::hasAnnotation);
	}

	private static boolean isAnnotated(AnnotatedElement element) {
		return MergedAnnotations.from(element).isPresent(DistributedLock.class);
	}

	/**
	 * Find the annotations that apply to a method.
	 * @param method the method that is called; may be an interface method or a bridge
	 * @param type the class of the bean; may be generated
	 * @return the annotations, several if one element has several, or none
	 */
	static List<LockAnnotation> find(Method method, Class<?> type) {
		Class<?> beanClass = LockedMethod.userClass(type);
		return find(method, beanClass, nearest(beanClass));
	}

	private static List<LockAnnotation> find(Method method, Class<?> beanClass,
			List<MergedAnnotation<DistributedLock>> onClass) {
		Method specific = specificMethod(method, beanClass);
		List<MergedAnnotation<DistributedLock>> onMethod = onMethod(specific, beanClass);
		boolean byClass = onMethod.isEmpty();
		if (byClass && !isLockedByClass(specific, beanClass)) {
			return List.of();
		}
		LockedMethod lockedMethod = new LockedMethod(beanClass, specific);
		return (byClass ? onClass : onMethod).stream()
			.map((annotation) -> new LockAnnotation(lockedMethod, annotation.synthesize(),
					byClass ? null : (Method) annotation.getSource()))
			.toList();
	}

	/** The class of a bean that is itself a proxy has another name in every JVM. */
	private static Method specificMethod(Method method, Class<?> beanClass) {
		return LockedMethod.isGenerated(beanClass) ? ClassUtils.getInterfaceMethodIfPossible(method, beanClass)
				: AopUtils.getMostSpecificMethod(method, beanClass);
	}

	/**
	 * A class may inherit a method from a superclass that does not implement the
	 * interface. The type hierarchy of that method does not contain the interface, nor
	 * does it find a generic method that Kotlin implements with a primitive number.
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

	/**
	 * The author of an annotation on a class can neither change nor exclude a final
	 * method that the class inherits.
	 */
	private static boolean isLockedByClass(Method specific, Class<?> beanClass) {
		int modifiers = specific.getModifiers();
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers)
				&& !ReflectionUtils.isObjectMethod(specific)
				&& !(Modifier.isFinal(modifiers) && specific.getDeclaringClass() != beanClass);
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

	/**
	 * An annotation that applies to a method of a bean class.
	 *
	 * @param method the method
	 * @param attributes the annotation, with aliases and composed annotations merged
	 * @param annotated the annotated method, {@code null} if a class is annotated
	 */
	record LockAnnotation(LockedMethod method, DistributedLock attributes, @Nullable Method annotated) {

		/** Whether a class is annotated and not a method. */
		boolean isOnClass() {
			return this.annotated == null;
		}

	}

}
