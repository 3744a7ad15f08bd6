# fish: what may come next after `scythe`, asked of scythe itself
function __scythe_next
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (_SCYTHE_COMPLETE=1 $words[1] $words[2..-1] 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path (commandline -ct)
        case folders
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\n' $lines[2..-1]
    end
end
complete -c scythe -f -a '(__scythe_next)'
