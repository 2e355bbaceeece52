// The task pool: ISPCAlloc, ISPCLaunch and ISPCSync (language 11.1), written in the language itself.
//
// All launches of one function invocation are a group: its first ISPCAlloc makes it, its ISPCSync ends it. A group keeps its
// launches in a queue. Threads claim tasks of a launch by an atomic counter, a chunk at a time, and go on to the next launch;
// no lock is taken for a task or for a launch into a group that has one already. The pool's lock guards the list of groups,
// the number of threads at work in each, and all sleeping and waking.
//
// Who runs tasks: threads 1 .. count-1 of the pool, and as thread 0 one thread at a time that came from outside and waits
// in ISPCSync. Whoever waits helps, but only with its own group and with the groups that tasks of it launched. So the nesting
// of calls is never deeper than that of launches, and a wait never ends in a circle: the tasks waited for are running,
// and what they wait for lies further down.
//
// Pointers to what threads share are passed as integers: of two pointer parameters the compiler may assume that
// nobody else writes what they point to.

typedef uniform intptr_t Address;       // also the sizes and numbers that C calls size_t and long

typedef unmasked void (*TaskFunction)(void * uniform data, uniform int32 thread, uniform int32 threads,
    uniform int32 index, uniform int32 count, uniform int32 index0, uniform int32 index1, uniform int32 index2,
    uniform int32 count0, uniform int32 count1, uniform int32 count2);

extern "C" void * uniform mmap(void * uniform address, Address size, uniform int32 protection, uniform int32 flags,
    uniform int32 file, Address offset);
extern "C" uniform int32 munmap(void * uniform address, Address size);
extern "C" uniform int32 madvise(void * uniform address, Address size, uniform int32 advice);
extern "C" void * uniform malloc(Address size);
extern "C" void free(void * uniform memory);
extern "C" void abort();
extern "C" uniform int32 getpid();
extern "C" void * uniform getenv(void * uniform name);
extern "C" Address sysconf(uniform int32 name);
extern "C" uniform int32 sched_getaffinity(uniform int32 process, Address size, void * uniform set);
extern "C" uniform int32 pthread_create(void * uniform thread, void * uniform attributes, void * uniform start,
    void * uniform argument);
extern "C" uniform int32 pthread_detach(Address thread);
extern "C" uniform int32 pthread_sigmask(uniform int32 how, void * uniform set, void * uniform old);
extern "C" uniform int32 pthread_mutex_trylock(void * uniform mutex);
extern "C" uniform int32 pthread_mutex_lock(void * uniform mutex);
extern "C" uniform int32 pthread_mutex_unlock(void * uniform mutex);
extern "C" uniform int32 pthread_cond_wait(void * uniform condition, void * uniform mutex);
extern "C" uniform int32 pthread_cond_signal(void * uniform condition);
extern "C" uniform int32 pthread_cond_broadcast(void * uniform condition);
extern "C" uniform int32 pthread_key_create(void * uniform key, void * uniform destructor);
extern "C" uniform int32 pthread_key_delete(uniform uint32 key);
extern "C" void * uniform pthread_getspecific(uniform uint32 key);
extern "C" uniform int32 pthread_setspecific(uniform uint32 key, void * uniform value);

#define READ_AND_WRITE 3
#define PRIVATE_AND_ANONYMOUS 0x22
#define WIPE_ON_FORK 18
#define SET_SIGNAL_MASK 2
#define AREA 65536
#define PROCESSORS_ONLINE 84
#define ZERO 48
#define NINE 57
#define MOST_THREADS 1024

#define CHUNKS_A_THREAD 64      // so many parts a thread's share has: even out tasks of different length
#define FIRST_BLOCK 1024        // bytes
#define LARGEST_BLOCK 1048576
#define LOCK_ATTEMPTS 100
#define LOOKS 200               // some microseconds, before a thread sleeps

struct Launch {
    struct Launch * uniform later;
    void * uniform function;
    void * uniform data;
    int64 claimed;
    int64 total;
    int64 chunk;
    int32 counts[3];
};

struct Block {
    struct Block * uniform older;
};

struct Group {
    struct Group * uniform next;        // in the pool's list, from the first launch to the sync
    struct Group * uniform previous;
    struct Group * uniform parent;      // the group whose task launches
    Launch * uniform oldest;            // all launches before it are claimed entirely
    Launch * uniform newest;
    Block * uniform blocks;
    uintptr_t free;                     // addresses of what is left of the newest block
    uintptr_t end;
    intptr_t block_size;
    int32 users;                        // threads of the pool, and helpers, that run its tasks
    int32 is_listed;
    int32 is_waiting;                   // its launcher sleeps in the sync
};

// What a thread that runs tasks knows of itself; lives on its stack.
struct Thread {
    int32 index;
    Group * uniform group;
};

// All zeros is a pool not started yet: what a child process finds after fork().
struct Pool {
    int64 mutex[16];
    int64 work[16];                     // condition: there may be something to run
    int64 changed[16];                  // condition: a group is finished, or thread 0 is free, or a waiting thread can help
    Group * uniform first;
    Group * uniform last;
    int32 is_started;
    int32 process;
    int32 threads;
    int32 idle;                         // sleeping threads of the pool which nobody has woken yet
    int32 woken;                        // woken, but not running yet
    int32 looking;                      // awake threads of the pool that have nothing to run, for a moment
    int32 news;                         // changes with every launch while there are such threads
    int32 waiting;                      // threads that sleep in a sync
    int32 is_thread_0_taken;
    int32 started;                      // gives threads of the pool their index
};

// What a child process keeps.
struct Runtime {
    Pool * uniform pool;
    uint32 self;                        // key of the Thread of the running thread
    int32 is_wiped;                     // the system clears the pool in a child process
};

static uniform Runtime * uniform runtime = NULL;

// --- starting

static unmasked uniform int32 thread_count() {
    // The language has no characters: "VOLTAC_NUM_THREADS".
    uniform int8 name[] = {86, 79, 76, 84, 65, 67, 95, 78, 85, 77, 95, 84, 72, 82, 69, 65, 68, 83, 0};
    uniform int32 count = 0;
    uniform int8 * uniform text = (uniform int8 * uniform)getenv(name);
    if (text != NULL) {
        for (; *text >= ZERO && *text <= NINE && count <= MOST_THREADS; ++text)
            count = 10 * count + (*text - ZERO);
        if (*text != 0)
            count = 0;
    }
    if (count == 0) {
        uniform uint64 set[128];
        if (sched_getaffinity(0, sizeof(set), set) >= 0) {
            for (uniform int32 i = 0; i < 128; ++i)
                count += popcnt((uniform int64)set[i]);
        } else
            count = (uniform int32)sysconf(PROCESSORS_ONLINE);
    }
    return max(1, min(count, MOST_THREADS));
}

static unmasked noinline void create_runtime() {
    uniform uintptr_t area = (uniform uintptr_t)mmap(NULL, 2 * AREA, READ_AND_WRITE, PRIVATE_AND_ANONYMOUS, -1, 0);
    if (area == (uniform uintptr_t)-1)
        abort();
    uniform Runtime * uniform created = (uniform Runtime * uniform)area;
    created->pool = (uniform Pool * uniform)(area + AREA);
    created->is_wiped = madvise(created->pool, AREA, WIPE_ON_FORK) == 0 ? 1 : 0;
    if (pthread_key_create(&created->self, NULL) != 0)
        abort();
    if (atomic_compare_exchange_global((void * uniform * uniform)&runtime, (void * uniform)NULL, created) != NULL) {
        pthread_key_delete(created->self);
        munmap(created, 2 * AREA);
    }
}

static unmasked inline uniform Thread * uniform this_thread() {
    return (uniform Thread * uniform)pthread_getspecific(runtime->self);
}

static unmasked inline void lock() {
    for (uniform int32 i = 0; i < LOCK_ATTEMPTS; ++i)
        if (pthread_mutex_trylock(runtime->pool->mutex) == 0)
            return;
    pthread_mutex_lock(runtime->pool->mutex);
}

static unmasked inline void unlock() {
    pthread_mutex_unlock(runtime->pool->mutex);
}

// Reads anew what other threads write, and takes a moment.
static unmasked inline uniform int32 look(Address at) {
    return atomic_or_global((uniform int32 * uniform)at, 0);
}

static unmasked inline uniform Launch * uniform launch_after(Address at) {
    uniform Launch * uniform before = (uniform Launch * uniform)at;
    void * uniform null = NULL;
    return (uniform Launch * uniform)atomic_compare_exchange_global((void * uniform * uniform)&before->later, null, null);
}

// --- running

// Run what is left of a group's queue, from ``queued`` on.
static unmasked noinline void run(Address group, Address queued, Address thread) {
    uniform Thread * uniform self = (uniform Thread * uniform)thread;
    uniform Launch * uniform current = (uniform Launch * uniform)queued;
    uniform Group * uniform outer = self->group;
    self->group = (uniform Group * uniform)group;
    uniform int32 index = self->index, threads = runtime->pool->threads;
    while (current != NULL) {
        uniform TaskFunction function = (uniform TaskFunction)current->function;
        void * uniform data = current->data;
        uniform int64 total = current->total, chunk = current->chunk;
        uniform int32 count0 = current->counts[0], count1 = current->counts[1], count2 = current->counts[2];
        while (current->claimed < total) {
            uniform int64 number = atomic_add_global(&current->claimed, chunk);
            if (number >= total)
                break;
            uniform int64 end = min(number + chunk, total);
            uniform int32 row = (uniform int32)number / count0;
            uniform int32 index0 = (uniform int32)number - row * count0;
            uniform int32 index2 = row / count1;
            uniform int32 index1 = row - index2 * count1;
            for (; number < end; ++number) {
                function(data, index, threads, (uniform int32)number, (uniform int32)total, index0, index1, index2,
                    count0, count1, count2);
                if (++index0 == count0) {
                    index0 = 0;
                    if (++index1 == count1) {
                        index1 = 0;
                        ++index2;
                    }
                }
            }
        }
        current = launch_after((Address)current);
    }
    self->group = outer;
}

// The first launch of a group of which tasks are left, or null. The lock is held.
static unmasked inline uniform Launch * uniform unclaimed(Address of) {
    uniform Group * uniform group = (uniform Group * uniform)of;
    uniform Launch * uniform queued = group->oldest;
    while (queued->claimed >= queued->total) {
        if (queued->later == NULL)
            return NULL;
        queued = queued->later;
        group->oldest = queued;
    }
    return queued;
}

static unmasked inline uniform bool is_below(Address inner, Address outer) {
    uniform Group * uniform group = (uniform Group * uniform)inner;
    while (group != NULL && (Address)group != outer)
        group = group->parent;
    return group != NULL;
}

// The first group of all, or of those at and below ``top``, that has unclaimed tasks. The lock is held.
static unmasked inline uniform Group * uniform find(Address top) {
    uniform Group * uniform group = runtime->pool->first;
    while (group != NULL && (unclaimed((Address)group) == NULL || (top != 0 && !is_below((Address)group, top))))
        group = group->next;
    return group;
}

// So many idle threads shall look for something to run. The lock is held.
static unmasked inline void rouse(uniform int32 count) {
    uniform Pool * uniform pool = runtime->pool;
    atomic_add_global(&pool->idle, -count);
    pool->woken += count;
    if (count == 1)
        pthread_cond_signal(pool->work);
    else
        pthread_cond_broadcast(pool->work);
}

// Run tasks of such a group; false if there is none. The lock is held before and after.
static unmasked noinline uniform bool help(Address top, Address thread) {
    uniform Pool * uniform pool = runtime->pool;
    uniform Group * uniform group = find(top);
    if (group == NULL)
        return false;
    uniform Launch * uniform queued = group->oldest;
    ++group->users;
    // Threads on their way to this group were counted on for every launch since: whoever takes one calls for the next.
    uniform bool is_last = queued->later == NULL && queued->claimed + queued->chunk >= queued->total;
    if (!is_last && pool->idle > 0 && pool->woken + pool->looking == 0)
        rouse(1);
    unlock();
    run((Address)group, (Address)queued, thread);
    lock();
    if (--group->users == 0 && group->is_waiting != 0)
        pthread_cond_broadcast(pool->changed);
    return true;
}

// A thread of the pool.
static unmasked void * uniform work(void * uniform unused) {
    uniform Pool * uniform pool = runtime->pool;
    uniform Thread self;
    self.index = atomic_add_global(&pool->started, 1) + 1;
    self.group = NULL;
    pthread_setspecific(runtime->self, &self);
    lock();
    while (true) {
        if (help(0, (Address)&self))
            continue;
        // Whoever launches first publishes the launch and then looks who needs to know; here it is the other way round.
        atomic_add_global(&pool->looking, 1);
        uniform int32 seen = look((Address)&pool->news);
        uniform bool found = find(0) != NULL;
        unlock();
        for (uniform int32 looks = 0; !found && looks < LOOKS; ++looks)
            found = look((Address)&pool->news) != seen;
        lock();
        if (!found)
            atomic_add_global(&pool->idle, 1);
        atomic_add_global(&pool->looking, -1);
        if (found)
            continue;
        while (find(0) == NULL && pool->woken == 0)
            pthread_cond_wait(pool->work, pool->mutex);
        if (pool->woken > 0)
            --pool->woken;
        else
            atomic_add_global(&pool->idle, -1);
    }
    return NULL;
}

static unmasked noinline void start() {
    uniform Pool * uniform pool = runtime->pool;
    if (runtime->is_wiped == 0 && pool->is_started != 0 && pool->process != getpid())
        memset(pool, 0, sizeof(uniform Pool));
    lock();
    if (pool->is_started == 0) {
        pool->threads = thread_count();
        pool->process = getpid();
        // Signals are for the threads of the application.
        uniform uint64 all[16], before[16];
        for (uniform int32 i = 0; i < 16; ++i)
            all[i] = (uniform uint64)-1;
        pthread_sigmask(SET_SIGNAL_MASK, all, before);
        for (uniform int32 i = 1; i < pool->threads; ++i) {
            Address thread;
            if (pthread_create(&thread, NULL, (void * uniform)&work, NULL) != 0)
                break;
            pthread_detach(thread);
        }
        pthread_sigmask(SET_SIGNAL_MASK, before, NULL);
        pool->is_started = 1;
    }
    unlock();
}

// --- the three functions

static unmasked noinline Address new_block(Address size) {
    void * uniform memory = malloc(size);
    if (memory == NULL)
        abort();
    return (Address)memory;
}

// Memory that lives as long as the group.
static unmasked inline void * uniform allocate(Address of, Address size, Address alignment) {
    uniform Group * uniform group = (uniform Group * uniform)of;
    uniform uintptr_t place = (group->free + alignment - 1) & -alignment;
    if (place + size > group->end) {
        group->block_size = max(min(2 * group->block_size, (Address)LARGEST_BLOCK), size + alignment + 64);
        uniform Block * uniform block = (uniform Block * uniform)new_block(group->block_size);
        block->older = group->blocks;
        group->blocks = block;
        group->end = (uniform uintptr_t)block + group->block_size;
        place = ((uniform uintptr_t)block + sizeof(uniform Block) + alignment - 1) & -alignment;
    }
    group->free = place + size;
    return (void * uniform)place;
}

static unmasked noinline Address new_group() {
    if (runtime == NULL)
        create_runtime();
    if (runtime->pool->is_started == 0 || runtime->is_wiped == 0)
        start();
    Address memory = new_block(FIRST_BLOCK);
    uniform Group * uniform group = (uniform Group * uniform)memory;
    uniform Thread * uniform self = this_thread();
    group->next = group->previous = NULL;
    group->parent = self != NULL ? self->group : NULL;
    group->oldest = group->newest = NULL;
    group->blocks = NULL;
    group->free = memory + sizeof(uniform Group);
    group->end = memory + FIRST_BLOCK;
    group->block_size = FIRST_BLOCK;
    group->users = group->is_listed = group->is_waiting = 0;
    return memory;
}

// There is a new launch in the group: see that somebody runs it.
static unmasked noinline void wake(Address launching, uniform int64 tasks) {
    uniform Pool * uniform pool = runtime->pool;
    atomic_add_global(&pool->news, 1);
    if (pool->idle == 0 && pool->waiting == 0)
        return;
    lock();
    uniform int32 count = (uniform int32)min(tasks - pool->looking - pool->woken, (uniform int64)pool->idle);
    if (count > 0)
        rouse(count);
    if (pool->waiting > 0) {
        for (uniform Group * uniform group = (uniform Group * uniform)launching; group != NULL; group = group->parent)
            if (group->is_waiting != 0) {
                pthread_cond_broadcast(pool->changed);
                break;
            }
    }
    unlock();
}

static unmasked noinline void list(Address added) {
    uniform Pool * uniform pool = runtime->pool;
    uniform Group * uniform group = (uniform Group * uniform)added;
    lock();
    group->previous = pool->last;
    if (pool->last != NULL)
        pool->last->next = group;
    else
        pool->first = group;
    pool->last = group;
    group->is_listed = 1;
    unlock();
}

extern "C" void * uniform ISPCAlloc(void * uniform * uniform handle, uniform int64 size, uniform int32 alignment) {
    if (*handle == NULL)
        *handle = (void * uniform)new_group();
    return allocate((Address)*handle, size, max(alignment, 16));
}

extern "C" void ISPCLaunch(void * uniform * uniform handle, void * uniform function, void * uniform data,
        uniform int32 count0, uniform int32 count1, uniform int32 count2) {
    if (count0 <= 0 || count1 <= 0 || count2 <= 0)
        return;
    if (*handle == NULL)
        *handle = (void * uniform)new_group();
    uniform Group * uniform group = (uniform Group * uniform)*handle;
    uniform Pool * uniform pool = runtime->pool;
    uniform Launch * uniform queued = (uniform Launch * uniform)allocate((Address)group, sizeof(uniform Launch), 16);
    queued->later = NULL;
    queued->function = function;
    queued->data = data;
    queued->claimed = 0;
    queued->total = (uniform int64)count0 * count1 * count2;
    queued->chunk = max((uniform int64)1, queued->total / (CHUNKS_A_THREAD * pool->threads));
    queued->counts[0] = count0;
    queued->counts[1] = count1;
    queued->counts[2] = count2;
    uniform Launch * uniform before = group->newest;
    group->newest = queued;
    if (before == NULL) {
        group->oldest = queued;
        list((Address)group);
    } else
        atomic_swap_global((void * uniform * uniform)&before->later, (void * uniform)queued);
    if (pool->idle > 0 || pool->looking > 0 || pool->waiting > 0)
        wake((Address)group, (queued->total - 1) / queued->chunk + 1);
}

// A thread from outside becomes thread 0, as soon as no other one is; false: meanwhile others have finished the group.
// The lock is held before and after.
static unmasked inline uniform bool become_thread_0(Address of) {
    uniform Pool * uniform pool = runtime->pool;
    uniform Group * uniform group = (uniform Group * uniform)of;
    atomic_add_global(&pool->waiting, 1);
    group->is_waiting = 1;
    while (pool->is_thread_0_taken != 0 && (group->users > 0 || unclaimed(of) != NULL))
        pthread_cond_wait(pool->changed, pool->mutex);
    group->is_waiting = 0;
    atomic_add_global(&pool->waiting, -1);
    if (pool->is_thread_0_taken != 0)
        return false;
    pool->is_thread_0_taken = 1;
    return true;
}

// Run what is left of the group, wait for what others run of it, and take it off the list.
static unmasked inline void finish(Address finished, Address thread) {
    uniform Pool * uniform pool = runtime->pool;
    uniform Group * uniform group = (uniform Group * uniform)finished;
    uniform Launch * uniform queued = unclaimed(finished);
    unlock();
    run(finished, (Address)queued, thread);
    lock();
    if (group->users == 0)
        return;
    unlock();
    for (uniform int32 looks = 0; looks < LOOKS && look((Address)&group->users) > 0; ++looks)
        ;
    lock();
    atomic_add_global(&pool->waiting, 1);
    group->is_waiting = 1;
    while (group->users > 0)
        if (!help(finished, thread))
            pthread_cond_wait(pool->changed, pool->mutex);
    group->is_waiting = 0;
    atomic_add_global(&pool->waiting, -1);
}

static unmasked noinline void synchronise(Address ended) {
    uniform Pool * uniform pool = runtime->pool;
    uniform Group * uniform group = (uniform Group * uniform)ended;
    if (group->is_listed != 0) {
        uniform Thread * uniform self = this_thread();
        lock();
        if (self != NULL)
            finish(ended, (Address)self);
        else if (become_thread_0(ended)) {
            uniform Thread outside;
            outside.index = 0;
            outside.group = NULL;
            pthread_setspecific(runtime->self, &outside);
            finish(ended, (Address)&outside);
            pthread_setspecific(runtime->self, NULL);
            pool->is_thread_0_taken = 0;
            if (pool->waiting > 0)
                pthread_cond_broadcast(pool->changed);
        }
        if (group->previous != NULL)
            group->previous->next = group->next;
        else
            pool->first = group->next;
        if (group->next != NULL)
            group->next->previous = group->previous;
        else
            pool->last = group->previous;
        unlock();
    }
    for (uniform Block * uniform block = group->blocks; block != NULL;) {
        uniform Block * uniform older = block->older;
        free(block);
        block = older;
    }
    free(group);
}

extern "C" void ISPCSync(void * uniform handle) {
    if (handle != NULL)
        synchronise((Address)handle);
}
